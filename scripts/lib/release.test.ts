import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { releaseOf } from './release';

const repository = 'floodgate-limiter/floodgate';
const manifest = (version: string) => ({
  ...JSON.parse(readFileSync('server/limiter/package.json', 'utf8')),
  version,
});

test.each([
  ['1.2.3', 'latest'],
  ['0.2.0-alpha', 'next'],
])('version %s is published as %s', (version, distTag) => {
  const changelog = `# Changelog\n\n## [${version}] - 2026-12-24\n`;
  expect(releaseOf(manifest(version), { tag: `v${version}`, repository, changelog })).toEqual({ distTag });
});

test.each([
  [{ tag: 'v1.2.4' }, 'The tag v1.2.4 is not v1.2.3'],
  [{ repository: 'someone/fork' }, 'someone/fork publishes it'],
  [{ changelog: '## [1.2.3] - not released' }, 'no date for 1.2.3'],
])('%j publishes nothing', (change, problem) => {
  const release = { tag: 'v1.2.3', repository, changelog: '## [1.2.3] - 2026-12-24', ...change };
  expect(() => releaseOf(manifest('1.2.3'), release)).toThrow(problem);
});

test('the changelog of the package has a section of the present version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(readFileSync('server/limiter/CHANGELOG.md', 'utf8')).toContain(`## [${version}] - `);
});

test('the workflow publishes with provenance after the tests', () => {
  const workflow = readFileSync('.github/workflows/release.yml', 'utf8');
  expect(workflow).toMatch(/^ {4}needs: test$/m);
  expect(workflow).toMatch(/^ {6}id-token: write$/m);
  expect(workflow).toMatch(/scripts\/check-release\.ts.*npm publish --provenance/s);
});
