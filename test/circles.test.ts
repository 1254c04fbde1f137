import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * The imports between the entries of each folder, by the path of the entry: an import in `server/sale/gate/gate.ts` of
 * `server/db/client.ts` is one in `server/sale` of `server/db`. A file is an entry like a folder, so that no circle passes
 * through the files at the root of a folder. A command of `scripts/` is one at the root of the repository, because it starts
 * what all folders have. Tests are left out: nothing imports them.
 */
function readImports(roots: readonly string[], pattern: RegExp): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const file of roots.flatMap(listSources)) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(pattern)) {
      const imported = path.posix.join(path.posix.dirname(file), specifier);
      const [from = '', to = ''] = entriesOf(file, imported);
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  }
  return imports;
}

function listSources(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.(?:ts|tsx|mjs)$/.test(name) && !name.includes('node_modules'))
    .map((name) => path.posix.join(root, name.replaceAll('\\', '/')));
}

/** Returns the paths of two files up to the first part in which they differ, without the endings of files. */
function entriesOf(...files: [string, string]): string[] {
  const [one, other] = files.map((file) =>
    file
      .replace(/\.\w+$/, '')
      .replace(/^scripts\/(?!lib\/)/, '')
      .split('/'),
  );
  const depth = one?.findIndex((part, index) => part !== other?.[index]) ?? 0;
  return [one, other].map((parts) => parts?.slice(0, depth + 1).join('/') ?? '');
}

/** Returns the first path from an entry back to itself, or undefined. */
function findCircle(imports: Map<string, Set<string>>): string[] | undefined {
  const finished = new Set<string>();
  const visit = (entry: string, trail: string[]): string[] | undefined => {
    if (trail.includes(entry)) return [...trail.slice(trail.indexOf(entry)), entry];
    if (finished.has(entry)) return undefined;
    for (const next of imports.get(entry) ?? []) {
      const circle = visit(next, [...trail, entry]);
      if (circle) return circle;
    }
    finished.add(entry);
    return undefined;
  };
  for (const entry of imports.keys()) {
    const circle = visit(entry, []);
    if (circle) return circle;
  }
  return undefined;
}

test('no entries of a folder outside app/ import each other in a circle, by value or by type', () => {
  const imports = readImports(
    ['server', 'scripts', 'test', 'drills', 'bench', 'e2e'],
    /(?:^(?:import|export)\b[^;]*?\bfrom |^import |\bimport\()'(\.[^']+)'/gm,
  );
  expect(imports.size).toBeGreaterThan(200);
  expect(findCircle(imports)).toBeUndefined();
});

test('no folders of app/ import values from each other in a circle', () => {
  const imports = readImports(['app'], /^(?:import|export) (?!type\b)[^;]*?\bfrom '(\.[^']+)'/gm);
  const folders = new Map([...imports].filter(([entry]) => path.posix.dirname(entry) === 'app'));
  expect(folders.size).toBeGreaterThan(5);
  expect(findCircle(folders)).toBeUndefined();
});
