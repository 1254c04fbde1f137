import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { providePackage } from './limiter-package';

test('llms.txt and the README of the package have at most 150 lines, and llms.txt each entry point', async () => {
  const folder = path.dirname(await providePackage());
  const [text = '', readme = ''] = await Promise.all(
    ['llms.txt', 'README.md'].map((file) => readFile(path.join(folder, file), 'utf8')),
  );
  for (const { length } of [text.split('\n'), readme.split('\n')]) expect(length).toBeLessThanOrEqual(150);
  const { exports } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const entries = Object.entries(exports).filter(([, target]) => typeof target === 'object');
  expect([...text.matchAll(/^## floodgate-limiter(\S*)$/gm)].map(([, entry]) => `.${entry}`)).toEqual(
    entries.map(([entry]) => entry),
  );
  expect(text).toMatch(/^- `createLimiter\(options: LimiterOptions\): Limiter`: Creates/m);
  expect(text).toMatch(/^ {2}- `secret: string`: /m);
});
