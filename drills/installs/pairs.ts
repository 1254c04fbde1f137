import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StepError } from '../../scripts/lib/steps.mjs';
import { startRedis } from '../../test/services/redis';
import { type Installation, installPackage, run } from './installation';

/** The package next to one version of a peer. */
interface Pair {
  /** The peer, with the packages of its types. */
  packages: readonly string[];
  /** Its program in `examples/pairs`. */
  program: keyof typeof printed;
}

const statuses = '200 200 200 429 500';
const outcomes = 'true true true false';
/** The output of each program. */
const printed = {
  express: statuses,
  fastify: statuses,
  hono: statuses,
  trpc: statuses,
  ioredis: outcomes,
  iovalkey: outcomes,
  'node-redis': outcomes,
  'prom-client': '3 1 1',
};

/** The oldest and the newest version of each range in `peerDependencies`, and the majors between. */
const pairs: readonly Pair[] = [
  { packages: ['express@4.0.0', '@types/express@4.17.25'], program: 'express' },
  { packages: ['express@4', '@types/express@4'], program: 'express' },
  { packages: ['express@5', '@types/express@5'], program: 'express' },
  { packages: ['fastify@4.0.0'], program: 'fastify' },
  { packages: ['fastify@4'], program: 'fastify' },
  { packages: ['fastify@5'], program: 'fastify' },
  { packages: ['hono@4.0.0'], program: 'hono' },
  { packages: ['hono@4'], program: 'hono' },
  { packages: ['@trpc/server@11.0.0'], program: 'trpc' },
  { packages: ['@trpc/server@11'], program: 'trpc' },
  { packages: ['ioredis@5.3.0'], program: 'ioredis' },
  { packages: ['ioredis@5'], program: 'ioredis' },
  { packages: ['ioredis@6'], program: 'ioredis' },
  { packages: ['iovalkey@0.3.1'], program: 'iovalkey' },
  { packages: ['iovalkey@0.4'], program: 'iovalkey' },
  { packages: ['prom-client@15.0.0'], program: 'prom-client' },
  { packages: ['prom-client@15'], program: 'prom-client' },
  { packages: ['redis@4.7.0'], program: 'node-redis' },
  { packages: ['redis@5'], program: 'node-redis' },
  { packages: ['redis@6'], program: 'node-redis' },
];

/** Lists the pairs by the name and version of the peer, such as `express@4`. */
export function listPairs(): Installation[] {
  return pairs.map((pair) => ({
    name: pair.packages[0] ?? '',
    run: (folder, tarball) => tryPair(pair, folder, tarball),
  }));
}

/** Installs a pair, compiles its program as an ES module and as CommonJS, and runs both. */
async function tryPair({ packages, program }: Pair, folder: string, tarball: string): Promise<void> {
  const source = 'examples/pairs';
  for (const [name, type] of [
    ['esm', 'module'],
    ['cjs', 'commonjs'],
  ] as const) {
    await mkdir(path.join(folder, name), { recursive: true });
    await writeFile(path.join(folder, name, 'package.json'), JSON.stringify({ type }));
    await copyFile(path.join(source, `${program}.ts`), path.join(folder, name, 'main.ts'));
  }
  for (const file of ['package.json', 'tsconfig.json'])
    await copyFile(path.join(source, file), path.join(folder, file));
  await installPackage(folder, [tarball, ...packages]);
  await run('npx tsc', folder);
  for (const name of ['esm', 'cjs']) {
    const redis = await startRedis();
    try {
      const output = (
        await run(`node --no-deprecation ${name}/main.js`, folder, { REDIS_URL: redis.url })
      ).trim();
      if (output !== printed[program])
        throw new StepError(`${name}/main.js printed ${output} instead of ${printed[program]}`);
    } finally {
      await redis.stop();
    }
  }
}
