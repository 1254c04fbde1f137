import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimSingleStart } from './exclusive-socket.mjs';

let folder: string;
let socketPath: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-'));
  socketPath = path.join(folder, 'start.sock');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs a start in another process and kills it. */
async function startAndKill(): Promise<void> {
  const module = new URL('./exclusive-socket.mjs', import.meta.url).href;
  const code = `const { claimSingleStart } = await import('${module}');
    await claimSingleStart('${socketPath}');
    process.stdout.write('first');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a second start in one folder', () => {
  it('gets the address of the first, also while the first is still starting', async () => {
    const first = await claimSingleStart(socketPath);
    const second = claimSingleStart(socketPath);
    if (first.first) first.announce('http://127.0.0.1:3000');
    expect(await second).toEqual({ first: false, url: 'http://127.0.0.1:3000' });
    expect(await claimSingleStart(socketPath)).toEqual({ first: false, url: 'http://127.0.0.1:3000' });
  });

  it('replaces a killed one and reports the crash', async () => {
    await startAndKill();
    expect(await claimSingleStart(socketPath)).toMatchObject({ first: true, afterCrash: true });
  });

  it('of five concurrent ones on the socket of a killed one, exactly one is first', async () => {
    await startAndKill();
    const results: boolean[] = [];
    const starts = Array.from({ length: 5 }, async () => {
      const claim = await claimSingleStart(socketPath);
      results.push(claim.first);
      if (claim.first) claim.announce('http://127.0.0.1:3000');
    });
    await Promise.all(starts);
    expect(results.filter(Boolean)).toHaveLength(1);
  });
});
