import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashContent, isStamped, writeStamp } from './files.mjs';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-'));
  await mkdir(path.join(folder, 'deep'));
  await writeFile(path.join(folder, 'deep/file.ts'), 'one');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the hash of a folder', () => {
  it('stays when only times change', async () => {
    const before = await hashContent([folder]);
    await utimes(path.join(folder, 'deep/file.ts'), 0, 0);
    expect(await hashContent([folder])).toBe(before);
  });

  it('changes with a content, a name or a new file', async () => {
    const hashes = [await hashContent([folder])];
    await writeFile(path.join(folder, 'deep/file.ts'), 'two');
    hashes.push(await hashContent([folder]));
    await writeFile(path.join(folder, 'deep/more.ts'), '');
    hashes.push(await hashContent([folder]));
    expect(new Set(hashes).size).toBe(3);
  });

  it('ignores skipped files and missing inputs', async () => {
    const before = await hashContent([folder]);
    await writeFile(path.join(folder, 'a.test.ts'), '');
    const skip = (file: string) => file.endsWith('.test.ts');
    expect(await hashContent([folder, path.join(folder, 'missing')], { skip })).toBe(before);
  });
});

describe('a stamp', () => {
  it('matches only the hash that was written', async () => {
    const stamp = path.join(folder, 'new/stamp');
    expect(await isStamped(stamp, 'a')).toBe(false);
    await writeStamp(stamp, 'a');
    expect(await isStamped(stamp, 'a')).toBe(true);
    expect(await isStamped(stamp, 'b')).toBe(false);
  });
});
