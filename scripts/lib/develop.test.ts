import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../test/wait-until';
import { watchSources } from './develop.mjs';

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

test('npm run dev prints a type error after the change that causes it, and ends the check with itself', async () => {
  // Below the project root, where TypeScript finds the types of the packages.
  const project = await mkdtemp('.data/watch-types-');
  onTestFinished(() => rm(project, { recursive: true, force: true }));
  const price = path.join(project, 'price.ts');
  await writeFile(price, 'export const priceCents: number = 990;\n');
  const config = { extends: '../../tsconfig.json', include: ['.'], exclude: [] };
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(config));
  const module = new URL('./develop.mjs', import.meta.url).href;
  const code = `const { watchTypes } = await import('${module}'); await watchTypes('${project}/tsconfig.json');`;
  const watching = spawn(process.execPath, ['--input-type=module', '-e', code]);
  onTestFinished(() => void watching.kill('SIGKILL'));
  let printed = '';
  watching.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  // Repeats the write until the file is watched.
  await waitUntil(
    async () => {
      await writeFile(price, `export const priceCents: number = '990'; // ${Date.now()}\n`);
      return printed.includes('error TS2322');
    },
    { interval: 500 },
  );
  expect(printed).toContain('price.ts');
  watching.kill('SIGKILL');
  // The pipe closes when the compiler, which holds its other end, has ended.
  await once(watching.stdout, 'close');
}, 60_000);
