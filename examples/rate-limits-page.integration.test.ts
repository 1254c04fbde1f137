import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repo = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(repo, '.data/page');

// The examples of docs/rate-limits.md are one module, whose last example is a test. Importing it runs all of them.
const page = await readFile(path.join(repo, 'docs/rate-limits.md'), 'utf8');
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block);
const text = blocks
  .join('')
  .replaceAll("from './", "from '../../server/")
  .replaceAll("from '../test/", "from '../../test/");
await mkdir(folder, { recursive: true });
const file = path.join(folder, 'rate-limits.ts');
await writeFile(file, text);
await import(file);
