import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { providePackage } from './limiter-package';

test('llms.txt of the package has each entry point, in at most 150 lines', async () => {
  const folder = path.dirname(await providePackage());
  const text = await readFile(path.join(folder, 'llms.txt'), 'utf8');
  expect(text.split('\n').length).toBeLessThanOrEqual(150);
  const { exports } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const entries = Object.entries(exports).filter(([, target]) => typeof target === 'object');
  expect([...text.matchAll(/^## floodgate-limiter(\S*)$/gm)].map(([, entry]) => `.${entry}`)).toEqual(
    entries.map(([entry]) => entry),
  );
  expect(text).toMatch(/^- `createLimiter\(options: LimiterOptions\): Limiter`: Creates/m);
  expect(text).toMatch(/^ {2}- `secret: string`: /m);
});
