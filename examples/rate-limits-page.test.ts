import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import type { Limiter } from '../server/limiter-package';

const repo = fileURLToPath(new URL('..', import.meta.url));

/** Returns the TypeScript blocks of a page as one module. */
function readModule(page: string): string {
  const text = readFileSync(path.join(repo, page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('');
}

/** Returns the blocks of a page that name a file, each a module that imports the package. */
function readFiles(page: string): Map<string, string> {
  const text = readFileSync(path.join(repo, page), 'utf8');
  const blocks = [...text.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)];
  return new Map(blocks.map(([, file = '', block = '']) => [file, importSources(block)]));
}

/** Replaces the imports of the package by imports of its sources. */
function importSources(text: string): string {
  return text
    .replaceAll("from 'floodgate-limiter'", "from './limiter-package'")
    .replaceAll(/from 'floodgate-limiter\/(\w+)'/g, "from './limiter-package/$1'");
}

/** Returns the compiler's errors for a module in `server/`. */
function compile(text: string): string[] {
  const configFile = path.join(repo, 'tsconfig.json');
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, repo);
  const module = path.join(repo, 'server/of-a-page.ts');
  const host = ts.createCompilerHost({ ...options, incremental: false });
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => file === module || fileExists(file);
  host.readFile = (file) => (file === module ? text : readFile(file));
  host.getSourceFile = (file, ...rest) =>
    file === module ? ts.createSourceFile(file, text, rest[0]) : getSourceFile(file, ...rest);
  const program = ts.createProgram([module], { ...options, incremental: false }, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(module))
    .map(({ messageText, start = 0 }) => {
      const line = text.slice(0, start).split('\n').length;
      return `${text.split('\n')[line - 1]}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
}

test('the examples of docs/rate-limits.md compile', { timeout: 60_000 }, () => {
  const text = readModule('docs/rate-limits.md');
  expect(text).toContain('rateLimit(');
  expect(compile(text)).toEqual([]);
});

test('the limits of the migration guide compile and run', { timeout: 60_000 }, async () => {
  const text = readFiles('docs/rate-limits.md').get('migrate.ts') ?? '';
  expect(compile(text)).toEqual([]);

  const folder = path.join(repo, '.data/page');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'migrate.ts');
  writeFileSync(file, text.replaceAll("'./limiter-package", "'../../server/limiter-package"));
  const page = await import(file);
  const limiter: Limiter = page.limiter;
  const { browse, greet, now, search, signIn } = page;
  const admittedOf = async (call: () => Promise<{ allowed: boolean }>, count: number) => {
    const decisions = await Promise.all(Array.from({ length: count }, call));
    return decisions.filter(({ allowed }) => allowed).length;
  };
  expect(await admittedOf(() => limiter.check(greet, { user: 'Ada' }), 10)).toBe(5);
  expect(await admittedOf(() => limiter.check(signIn, { email: 'ada@example.com' }), 10)).toBe(5);
  now.ms += 599_999;
  expect(await admittedOf(() => limiter.check(signIn, { email: 'ada@example.com' }), 1)).toBe(0);
  now.ms += 1;
  expect(await admittedOf(() => limiter.check(signIn, { email: 'ada@example.com' }), 1)).toBe(1);
  expect(await admittedOf(() => limiter.check(search, { user: 'Ada' }), 30)).toBe(20);
  now.ms += 10_000;
  expect(await admittedOf(() => limiter.check(search, { user: 'Ada' }), 30)).toBe(5);
  expect(await admittedOf(() => limiter.check(browse, { ip: '192.0.2.1' }), 200)).toBe(100);
});
