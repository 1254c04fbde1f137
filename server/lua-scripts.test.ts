import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readScript } from './lua-scripts';
import { root } from './paths';

const read = (file: string) => readFileSync(join(root, 'lua', file), 'utf8');
const files = readdirSync(join(root, 'lua'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.lua'),
);
const isScript = (file: string) => /^-- KEYS$/m.test(read(file));
const scripts = files.filter(isScript);

const declaration = /file: '([\w/-]+\.lua)',\s*numberOfKeys: ('variable'|\d+)/g;

/** `defineScript(…, { command, file, numberOfKeys })` as the TypeScript sources declare it. */
const declared = new Map(
  readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(root, 'server', file), 'utf8').matchAll(declaration)])
    .map(([, file, keys]) => [file, keys] as const),
);

test('there are scripts to check', () => {
  expect(scripts.length).toBeGreaterThan(3);
});

test.each(scripts)('%s: the keys in its header are the keys that TypeScript gives it', (file) => {
  const keys = section(read(file), 'KEYS').match(/^-- {3}(\d+|\d+\.\.n|n\+1) /gm) ?? [];
  const isVariable = keys.some((key) => key.includes('n'));
  expect(declared.get(file)).toBe(isVariable ? "'variable'" : String(keys.length));
});

test.each(scripts)(
  '%s: the header tells purpose, keys, arguments, reply and why it is atomic, in this order',
  (file) => {
    const header = read(file).split('\n\n--- @include')[0] ?? '';
    const places = ['-- KEYS\n', '-- ARGV\n', '-- Reply', '-- Atomic because'].map((title) =>
      header.indexOf(title),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  },
);

test.each(scripts)('%s: lua/README.md lists it', (file) => {
  expect(read('../lua/README.md')).toContain(`\`${file}\``);
});

test('an include is taken in once', () => {
  const script = readScript('limiter/decide.lua');
  expect(script).not.toContain('@include');
  expect(script.match(/local function now_ms/g)).toHaveLength(1);
});

function section(script: string, title: string): string {
  const [, after = ''] = script.split(`-- ${title}\n`);
  return after.split(/^-- [A-Z]/m)[0] ?? '';
}
