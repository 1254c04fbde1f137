/**
 * Who may import whom: docs/architecture.md says why, this file holds it. Tests are exempt, they may reach for
 * anything they prove.
 */
const features = 'coupons|orders|merchants|auth|limits|lab|demo|ops';
const infrastructure = 'redis|db|observability';
const test = '\\.test\\.tsx?$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: '1-pages-know-only-types-of-the-server',
      comment:
        'Next bundles its own copy of what a page imports: a value from server/ would open a second Redis.',
      severity: 'error',
      from: { path: '^app/', pathNot: test },
      to: { path: '^(server|scripts|test|lua)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: '1-pages-take-types-from-few-places',
      comment: "Pages see the API's shape through the router, and the seam's through its one file.",
      severity: 'error',
      from: { path: '^app/', pathNot: test },
      to: { path: '^server/', pathNot: '^server/(router|http/page-requests)\\.ts$' },
    },
    {
      name: '2-features-stand-on-the-platform',
      comment: 'A feature uses the platform, never the listener, the joined router or the process around it.',
      severity: 'error',
      from: { path: `^server/(${features})/`, pathNot: test },
      to: {
        path: '^server/',
        pathNot: [
          `^server/(${features}|trpc|redis|db|observability)/`,
          '^server/limiter/index\\.ts$',
          '^server/(policies|errors|lua-scripts)\\.ts$',
        ],
      },
    },
    {
      name: '2-features-meet-at-a-verb',
      comment: "One feature may call another's verb; its router is for browsers only.",
      severity: 'error',
      from: { path: `^server/(${features})/`, pathNot: test },
      to: { path: `^server/(${features})/router\\.ts$`, pathNot: '^server/$1/' },
    },
    {
      name: '3-the-listener-knows-no-feature',
      comment:
        'HTTP carries calls and limits them; what a coupon is, it need not know. Sessions are the exception.',
      severity: 'error',
      from: { path: '^server/http/', pathNot: test },
      to: {
        path: '^server/',
        pathNot: [
          '^server/(http|observability|trpc)/',
          '^server/auth/session',
          '^server/limiter/index\\.ts$',
          '^server/(policies|errors)\\.ts$',
        ],
      },
    },
    {
      name: '4-the-limiter-stands-alone',
      comment: 'server/limiter, lua/limiter, lua/lib and lua-scripts.ts can be lifted into another project.',
      severity: 'error',
      from: { path: '^server/limiter/', pathNot: test },
      to: { path: '^(server|app|scripts)/', pathNot: ['^server/limiter/', '^server/lua-scripts\\.ts$'] },
    },
    {
      name: '4-the-script-loader-imports-nothing-of-ours',
      comment: 'It travels with the limiter.',
      severity: 'error',
      from: { path: '^server/lua-scripts\\.ts$' },
      to: { path: '^(server|app|scripts)/' },
    },
    {
      name: '5-infrastructure-knows-no-product',
      comment: 'Clients, schema and logs are below everything; they see only settings and errors.',
      severity: 'error',
      from: { path: `^server/(${infrastructure})/`, pathNot: test },
      to: {
        path: '^server/',
        pathNot: ['^server/$1/', '^server/(env|errors|lua-scripts|paths)\\.ts$'],
      },
    },
    {
      name: '6-no-cycles',
      comment: 'A cycle means that two files are one; types that only meet in the compiler do not count.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next|dist|\\.data)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'] },
  },
};
