import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * A unit of the folder structure: a folder of `server/` or `app/`, and each part of the sale. Files directly in
 * `server/` are no unit: they import all folders, or all folders import them.
 */
function unitOf(file: string): string | undefined {
  const [root = '', folder = '', part = '', ...rest] = file.split('/');
  if (part === '') return undefined;
  return folder === 'sale' && rest.length > 0 ? `${root}/${folder}/${part}` : `${root}/${folder}`;
}

/** The units that a file imports values from. Types are erased, so they bind no folders. */
function importedUnits(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)';/gm,
  );
  return [...specifiers].flatMap(([, specifier = '']) => {
    const unit = unitOf(path.posix.join(path.posix.dirname(file), specifier));
    return unit === undefined || unit === unitOf(file) ? [] : [unit];
  });
}

function readGraph(root: string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const file = path.posix.join(root, name.replaceAll('\\', '/'));
    const unit = unitOf(file);
    if (unit === undefined || !/\.tsx?$/.test(file) || /\.test\.tsx?$/.test(file)) continue;
    const imported = graph.get(unit) ?? new Set();
    for (const other of importedUnits(file)) imported.add(other);
    graph.set(unit, imported);
  }
  return graph;
}

/** The first path from a unit back to itself, or undefined. */
function findCycle(graph: Map<string, Set<string>>): string[] | undefined {
  const finished = new Set<string>();
  const visit = (unit: string, trail: string[]): string[] | undefined => {
    if (trail.includes(unit)) return [...trail.slice(trail.indexOf(unit)), unit];
    if (finished.has(unit)) return undefined;
    for (const next of graph.get(unit) ?? []) {
      const cycle = visit(next, [...trail, unit]);
      if (cycle) return cycle;
    }
    finished.add(unit);
    return undefined;
  };
  for (const unit of graph.keys()) {
    const cycle = visit(unit, []);
    if (cycle) return cycle;
  }
  return undefined;
}

test.each(['server', 'app'])(
  'no folder of %s imports values from a folder that imports values from it',
  (root) => {
    const graph = readGraph(root);
    expect(graph.size).toBeGreaterThan(5);
    expect(findCycle(graph)).toBeUndefined();
  },
);
