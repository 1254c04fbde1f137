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
  expect(releaseOf(manifest(version), { tag: `v${version}`, repository })).toEqual({ distTag });
});

test('a tag of another version, and another repository, publish nothing', () => {
  expect(() => releaseOf(manifest('1.2.3'), { tag: 'v1.2.4', repository })).toThrow(
    'The tag v1.2.4 is not v1.2.3',
  );
  expect(() => releaseOf(manifest('1.2.3'), { tag: 'v1.2.3', repository: 'someone/fork' })).toThrow(
    'someone/fork publishes it',
  );
});

test('the workflow publishes with provenance after the tests', () => {
  const workflow = readFileSync('.github/workflows/release.yml', 'utf8');
  expect(workflow).toMatch(/^ {4}needs: test$/m);
  expect(workflow).toMatch(/^ {6}id-token: write$/m);
  expect(workflow).toMatch(/scripts\/check-release\.ts.*npm publish --provenance/s);
});
