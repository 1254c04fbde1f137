import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../test/wait-until';
import { stopCommands } from '../run-command.mjs';
import { createTypeReport, watchTypes } from './watch-types.mjs';

let folder: string;

beforeEach(async () => {
  // Below the project root, where TypeScript finds the types of the packages.
  folder = await mkdtemp('.data/watch-types-');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a type error is printed after the change that causes it, and so is the fix of the last one', async () => {
  const file = path.join(folder, 'price.ts');
  await writeFile(file, 'export const priceCents: number = 990;\n');
  await writeFile(
    path.join(folder, 'tsconfig.json'),
    '{ "extends": "../../tsconfig.json", "include": ["."], "exclude": [] }',
  );
  const printed: string[] = [];
  const ended = watchTypes({
    project: path.join(folder, 'tsconfig.json'),
    print: (text) => printed.push(text),
  });
  const printedMatches = (pattern: RegExp) => waitUntil(() => pattern.test(printed.join('\n')));
  try {
    // Repeats the write until the file is watched.
    await waitUntil(
      async () => {
        await writeFile(file, `export const priceCents: number = '990'; // ${Date.now()}\n`);
        return printed.length > 0;
      },
      { interval: 500 },
    );
    expect(printed[0]).toMatch(/price\.ts\(1,14\): error TS2322: .*\n1 type error$/);
    await writeFile(file, 'export const priceCents: number = 990;\n');
    await printedMatches(/^No type errors\.$/m);
  } finally {
    await stopCommands();
    await ended;
  }
}, 60_000);

test('errors are printed once, a first run without errors prints nothing, and split output is joined', () => {
  const printed: string[] = [];
  const report = createTypeReport((text) => printed.push(text));
  report('07:18:38 AM - Starting compilation in watch mode...\n\n07:18:41 AM - Found 0 errors. Watching');
  expect(printed).toEqual([]);
  report(' for file changes.\n\n07:18:52 AM - File change detected. Starting incremental compilation...\n\n');
  report('server/a.ts(1,1): error TS1: One.\nserver/b.ts(1,1): error TS2: Two.\n07:18:58 AM - Found 2 err');
  report('ors. Watching for file changes.\n');
  report(
    '07:19:03 AM - File change detected.\nserver/a.ts(1,1): error TS1: One.\nserver/b.ts(1,1): error TS2: Two.\n',
  );
  report('07:19:04 AM - Found 2 errors. Watching for file changes.\n');
  report('07:19:13 AM - Found 0 errors. Watching for file changes.\n');
  expect(printed).toEqual([
    'server/a.ts(1,1): error TS1: One.\nserver/b.ts(1,1): error TS2: Two.\n2 type errors',
    'No type errors.',
  ]);
});
