import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchSources } from './restart-on-change.mjs';

let folder: string;
let watcher: Awaited<ReturnType<typeof watchSources>>;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-watch-'));
  await mkdir(path.join(folder, 'auth'));
  await writeFile(path.join(folder, 'auth/router.ts'), 'one');
  watcher = await watchSources([folder]);
});
afterEach(async () => {
  await watcher.close();
  await rm(folder, { recursive: true });
});

const file = (name: string) => path.join(folder, name);

/** Saves a file like an editor: writes another file, then renames it. */
async function saveByRename(name: string, text: string): Promise<void> {
  await writeFile(file(`${name}.tmp`), text);
  await rename(file(`${name}.tmp`), file(name));
}

test('a file that an editor saves by rename stays watched', async () => {
  for (const text of ['two', 'three', 'four']) {
    const change = watcher.nextChange();
    await saveByRename('auth/router.ts', text);
    expect(await change).toBe(file('auth/router.ts'));
  }
});

test('a new file and a removed one are changes', async () => {
  const added = watcher.nextChange();
  await writeFile(file('decide.lua'), 'return 1');
  expect(await added).toBe(file('decide.lua'));
  const removed = watcher.nextChange();
  await rm(file('decide.lua'));
  expect(await removed).toBe(file('decide.lua'));
});

test('a change of a test or of another file is ignored', async () => {
  const change = watcher.nextChange();
  await saveByRename('auth/router.test.ts', 'a test');
  await saveByRename('notes.md', 'notes');
  await saveByRename('auth/router.ts', 'two');
  expect(await change).toBe(file('auth/router.ts'));
});
