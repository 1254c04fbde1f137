import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTestRedis } from '../../../test/redis';
import { startRedisCluster } from '../../../test/services/redis-cluster';
import { stores } from '../../../test/stores';
import { root } from '../../paths';
import { loadScripts, readScript, scriptFiles } from './lua-scripts';

/** A copy of `lua/` in which one line is replaced. */
async function luaWith(file: string, edit: (lines: string[]) => void): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'floodgate-lua-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  await cp(join(root, 'lua'), copy, { recursive: true });
  const lines = (await readFile(join(copy, file), 'utf8')).split('\n');
  edit(lines);
  await writeFile(join(copy, file), lines.join('\n'));
  return copy;
}

describe.each(stores)('on $store', ({ storeUrl }) => {
  async function connect() {
    const redis = await connectTestRedis(await storeUrl());
    onTestFinished(() => redis.disconnect());
    return redis;
  }

  test('every script compiles', async () => {
    expect(scriptFiles().length).toBeGreaterThan(20);
    await loadScripts(await connect());
  });

  test('a script that does not compile is named with its file and line', async () => {
    let line = 0;
    const lua = await luaWith('sale/purchase.lua', (lines) => {
      line = lines.findIndex((text) => text.startsWith('local ')) + 1;
      lines.splice(line - 1, 0, 'local broken = = 1');
    });
    await expect(loadScripts(await connect(), lua)).rejects.toMatchObject({
      name: 'ScriptError',
      message: `lua/sale/purchase.lua, line ${line}: unexpected symbol near '='`,
    });
  });

  test('an error in an include is named with the file of the include', async () => {
    const lua = await luaWith('lib/now.lua', (lines) => lines.splice(6, 0, 'if then end'));
    await expect(loadScripts(await connect(), lua)).rejects.toMatchObject({ file: 'lib/now.lua', line: 7 });
  });

  test('a block that is never closed is named with the position of the function around it', async () => {
    const lua = await luaWith('lib/now.lua', (lines) => lines.splice(6, 0, 'do'));
    await expect(loadScripts(await connect(), lua)).rejects.toMatchObject({
      message: expect.stringMatching(/at lua\/lib\/now\.lua, line 6\)/),
    });
  });
});

test('every master of a cluster has every script', async () => {
  const cluster = await startRedisCluster();
  const redis = await connectTestRedis(cluster.url);
  onTestFinished(async () => {
    redis.disconnect();
    await cluster.stop();
  });
  await loadScripts(redis);
  const hashes = scriptFiles().map((file) => createHash('sha1').update(readScript(file)).digest('hex'));
  for (const { client } of cluster.nodes) {
    if (!/^role:master/m.test(await client.info('replication'))) continue;
    expect(await client.script('EXISTS', ...hashes)).toEqual(hashes.map(() => 1));
  }
});
