const NAME = 'floodgate-limiter';
const ENTRY_POINTS = ['index', 'stores', 'queues', 'trpc', 'express', 'fastify', 'hono', 'fetch'];
/** The packages that every entry point may need. */
const DEPENDENCIES = ['@standard-schema/spec', 'ipaddr.js', 'lru-cache'];
/** Each is needed only by its own entry point or store. */
const PEERS = {
  '@trpc/server': '^11.0.0',
  express: '^5.0.0',
  fastify: '^5.0.0',
  hono: '^4.0.0',
  ioredis: '^5.0.0 || ^6.0.0',
  iovalkey: '>=0.3.0',
  redis: '^5.0.0 || ^6.0.0',
};

/**
 * Returns the package.json of the package. Its dependencies have the versions that the product is tested with.
 *
 * @param {{ version: string, license: string, engines: object, dependencies: Record<string, string> }} product
 */
export function packageManifest({ version, license, engines, dependencies }) {
  return {
    name: NAME,
    version,
    description: 'Exact rate limits on Redis for tRPC, Express, Fastify, Hono and Fetch servers.',
    keywords: ['rate-limit', 'ratelimit', 'redis', 'valkey', 'trpc', 'express', 'fastify', 'hono', 'nextjs'],
    license,
    type: 'module',
    sideEffects: false,
    engines,
    files: ['*.js', 'chunks', 'types', 'CHANGELOG.md'],
    exports: Object.fromEntries(
      ENTRY_POINTS.map((name) => [
        name === 'index' ? '.' : `./${name}`,
        { types: `./types/limiter-package/${name}.d.ts`, default: `./${name}.js` },
      ]),
    ),
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, `^${dependencies[name]}`])),
    peerDependencies: PEERS,
    peerDependenciesMeta: Object.fromEntries(Object.keys(PEERS).map((name) => [name, { optional: true }])),
  };
}
