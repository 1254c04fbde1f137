import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findMissingBinaries, parsePlatform } from './lockfile-binaries';

describe('the lock file', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

  it('has an entry for every optional binary of any platform', () => {
    expect(findMissingBinaries(packages)).toEqual({});
  });

  it('names no registry', () => {
    const addressed = Object.entries<{ resolved?: string }>(packages).filter(([, entry]) => entry.resolved);
    expect(addressed).toEqual([]);
  });
});

describe('missing binaries', () => {
  const tool = { version: '2.0.0', dev: true, optionalDependencies: { '@tool/cli-darwin-arm64': '2.0.0' } };
  const entry = { version: '2.0.0', os: ['darwin'], cpu: ['arm64'], dev: true, optional: true };

  it('get an entry with version and platform, and neither address nor checksum', () => {
    expect(findMissingBinaries({ 'node_modules/tool': tool })).toEqual({
      'node_modules/@tool/cli-darwin-arm64': entry,
    });
  });

  it('are none if an entry is next to the package or above it', () => {
    const above = { 'node_modules/tool': tool, 'node_modules/@tool/cli-darwin-arm64': entry };
    const adjacent = {
      'node_modules/tool': tool,
      'node_modules/tool/node_modules/@tool/cli-darwin-arm64': entry,
    };
    expect(findMissingBinaries(above)).toEqual({});
    expect(findMissingBinaries(adjacent)).toEqual({});
  });

  it('of a second version are next to their own package', () => {
    const packages = {
      'node_modules/tool': tool,
      'node_modules/@tool/cli-darwin-arm64': entry,
      'node_modules/x/node_modules/tool': {
        version: '1.0.0',
        optionalDependencies: { '@tool/cli-darwin-arm64': '1.0.0' },
      },
    };
    expect(Object.keys(findMissingBinaries(packages))).toEqual([
      'node_modules/x/node_modules/tool/node_modules/@tool/cli-darwin-arm64',
    ]);
  });
});

describe('the platform of a package', () => {
  it.each([
    ['@next/swc-win32-arm64-msvc', { os: ['win32'], cpu: ['arm64'] }],
    ['@biomejs/cli-linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
    ['@swc/core-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
    ['@esbuild/openbsd-x64', { os: ['openbsd'], cpu: ['x64'] }],
    ['fsevents', undefined],
  ])('%s', (name, platform) => {
    expect(parsePlatform(name)).toEqual(platform);
  });
});
