/** Import rules, each with its reason. Tests are exempt. `test/circles.test.ts` forbids circles of folders. */
const features = 'sale|merchants|auth|limits|fleet|live|experiments|lab|demo|ops';
const infrastructure = 'redis|db|observability';
/** The entry points of the package, by which the product imports the limiter. */
const limiter =
  '^server/limiter/(index|stores/(index|connect-ioredis|connect-node-redis)|queue/index|adapters/(trpc|express|fastify|hono|fetch|http|metrics))\\.ts$';
const test = '\\.test\\.tsx?$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: '1-pages-import-only-types-of-the-server',
      comment:
        'Next bundles its own copies of modules, so a value from server/ would open a second Redis client.',
      severity: 'error',
      from: { path: '^app/', pathNot: test },
      to: { path: '^(server|scripts|drills|test|lua)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: '1-pages-take-types-from-few-places',
      comment: 'A page takes the types of the API from the router, and those of the seam from its one file.',
      severity: 'error',
      from: { path: '^app/', pathNot: test },
      to: { path: '^server/', pathNot: '^server/(router|http/page-requests)\\.ts$' },
    },
    {
      name: '2-features-use-the-platform',
      comment: 'A feature uses the platform, never the listener, the joined router or the start of a node.',
      severity: 'error',
      from: { path: `^server/(${features})/`, pathNot: test },
      to: {
        path: '^server/',
        pathNot: [
          `^server/(${features}|trpc|redis|db|observability)/`,
          limiter,
          '^server/limiter/examine/',
          '^server/(policies|email-address|errors|finding|timers)\\.ts$',
        ],
      },
    },
    {
      name: '2-features-call-verbs',
      comment: 'A feature may call a function of another feature. Routers serve browsers only.',
      severity: 'error',
      from: { path: `^server/(${features})/`, pathNot: test },
      to: {
        path: [`^server/(${features})/router\\.ts$`, '^server/sale/(coupons|orders)/router\\.ts$'],
        pathNot: '^server/$1/',
      },
    },
    {
      name: '3-the-listener-imports-no-feature',
      comment: 'HTTP carries and limits calls of any router. The live hubs are the exception.',
      severity: 'error',
      from: { path: '^server/http/', pathNot: test },
      to: {
        path: '^server/',
        pathNot: [
          '^server/(http|live|observability|trpc)/',
          limiter,
          '^server/(policies|errors|finding|timers)\\.ts$',
        ],
      },
    },
    {
      name: '4-the-limiter-imports-npm-only',
      comment: 'The package floodgate-limiter is built from server/limiter, lua/limiter and lua/lib alone.',
      severity: 'error',
      from: { path: '^server/limiter/', pathNot: test },
      to: { path: '^(server|app|scripts|drills|test)/', pathNot: '^server/limiter/' },
    },
    {
      name: '4-the-product-imports-the-entry-points',
      comment: 'The product uses the API that the package exports.',
      severity: 'error',
      from: {
        path: '^(server|drills|app)/',
        pathNot: ['^server/limiter/', '^server/lab/examine/examine-process\\.ts$', test],
      },
      to: { path: '^server/limiter/', pathNot: limiter },
    },
    {
      name: '4-the-lab-examines-as-the-command-does',
      comment: 'The command has no API. The process of the lab calls what it calls.',
      severity: 'error',
      from: { path: '^server/lab/examine/examine-process\\.ts$' },
      to: { path: '^server/limiter/', pathNot: '^server/limiter/examine/(examine|report)\\.ts$' },
    },
    {
      name: '5-infrastructure-imports-no-feature',
      comment: 'Clients, schema and logs are below everything. They import only the small files of server/.',
      severity: 'error',
      from: { path: `^server/(${infrastructure})/`, pathNot: test },
      to: {
        path: '^server/',
        pathNot: ['^server/$1/', limiter, '^server/(store-urls|errors|finding|paths|timers)\\.ts$'],
      },
    },
    {
      name: '6-no-circles',
      comment: 'Files that import each other, by value or by type, are one concept.',
      severity: 'error',
      from: { pathNot: '^app/' },
      to: { circular: true },
    },
    {
      name: '6-no-circles-of-values-in-pages',
      comment: 'A component may take the type of its properties from the one that renders it.',
      severity: 'error',
      from: { path: '^app/' },
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
