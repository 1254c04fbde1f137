import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const repo = fileURLToPath(new URL('..', import.meta.url));

/** Returns the TypeScript blocks of a page as one module. */
function readModule(page: string): string {
  const text = readFileSync(path.join(repo, page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('');
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
