import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type RedisClientKind, redisClients } from '../../../test/limiter-clients';
import { connectTestRedis, flushScripts, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { makeTempFolder } from '../../../test/services/temp-folder';
import type { createLimiter } from '../limiter';
import type { definePolicy } from '../policy/named-policy';

/** The exports of the bundle: the package with the clients that it supports. */
interface Bundle {
  createLimiter: typeof createLimiter;
  definePolicy: typeof definePolicy;
  redisClients: readonly RedisClientKind[];
}

const bundled = `
  export { createLimiter, definePolicy } from './server/limiter/index.ts';
  export { redisClients } from './test/limiter-clients.ts';
`;

let bundle: Bundle;
let redis: Awaited<ReturnType<typeof startRedis>>;
let removeFolder: () => Promise<void>;
beforeAll(async () => {
  redis = await startRedis();
  const { dir, remove } = await makeTempFolder('bundle');
  removeFolder = remove;
  const outfile = path.join(dir, 'bundle.cjs');
  await build({
    stdin: { contents: bundled, resolveDir: '.', loader: 'ts' },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
    // That of this file, which is next to lua-files.ts.
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
  });
  bundle = createRequire(import.meta.url)(outfile) as Bundle;
});
afterAll(async () => {
  await redis?.stop();
  await removeFolder?.();
});

test.each(redisClients.map(({ client }, index) => ({ client, index })))(
  'minified with $client: scripts that are missing are loaded, and an error reply opens no breaker',
  async ({ index }) => {
    const admin = await connectTestRedis(redis.url);
    onTestFinished(() => admin.disconnect());
    await admin.acl('SETUSER', 'scripts', 'on', '>pass', '~*', '+@all', '-fcall');
    await flushScripts(admin);
    const url = new URL(redis.url);
    Object.assign(url, { username: 'scripts', password: 'pass' });

    const { createLimiter, definePolicy, redisClients: clients } = bundle;
    const { store, close } = (await clients[index]?.connect(url.href)) ?? {};
    onTestFinished(() => close?.());
    if (!store) throw new Error('the bundle has the same clients');
    const secret = 'a secret of at least 32 characters';
    const limiter = createLimiter({ store, secret, prefix: freshPrefix() });
    const policy = definePolicy({
      name: 'minified',
      levels: [{ level: 'global', limit: 9, windowMs: 60_000 }],
    });
    expect(await limiter.check(policy, {})).toMatchObject({ allowed: true });

    await admin.config('SET', 'maxmemory', '1');
    onTestFinished(async () => void (await admin.config('SET', 'maxmemory', '0')));
    for (let call = 0; call < 5; call += 1)
      await expect(limiter.check(policy, {})).rejects.toMatchObject({ kind: 'OOM' });
    expect(limiter.breakerState()).toBe('closed');
  },
);
