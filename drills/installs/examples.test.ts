import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listExamples } from './examples';
import { listPairs } from './pairs';

test('npm run drill -- installs runs each project of examples/', async () => {
  const manifests = readdirSync('examples', { recursive: true, encoding: 'utf8' }).filter(
    (file) => path.basename(file) === 'package.json' && !file.includes('node_modules'),
  );
  const projects = manifests.map((file) => path.dirname(file)).filter((name) => name !== 'pairs');
  expect((await listExamples()).map(({ name }) => name).toSorted()).toEqual(projects.toSorted());
});

test('each pair has a name of its own', () => {
  const names = listPairs().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
