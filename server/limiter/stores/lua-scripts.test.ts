import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../paths';
import { readScript, scriptFiles } from './lua-scripts';

const read = (file: string) => readFileSync(join(root, 'lua', file), 'utf8');
const scripts = scriptFiles();

const declaration = /file: '([\w/-]+\.lua)',\s*numberOfKeys: ('variable'|\d+)/g;

/** The scripts that TypeScript files declare, tests included, with their `numberOfKeys`. */
const declared = new Map(
  readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(root, 'server', file), 'utf8').matchAll(declaration)])
    .map(([, file, keys]) => [file, keys] as const),
);

test('every script that TypeScript declares has a header with its keys', () => {
  const includes = ['lib/now.lua'];
  expect(scripts).toContain('limiter/decide.lua');
  expect([...declared.keys()].filter((file = '') => !scripts.includes(file))).toEqual(includes);
});

test.each(scripts)('%s: the keys in its header are the keys that TypeScript gives it', (file) => {
  const keys = section(read(file), 'KEYS').match(/^-- {3}(\d+|\d+\.\.n|n\+1) /gm) ?? [];
  const isVariable = keys.some((key) => key.includes('n'));
  expect(declared.get(file)).toBe(isVariable ? "'variable'" : String(keys.length));
});

test.each(scripts)(
  '%s: the header states purpose, keys, arguments, reply and why it is atomic, in this order',
  (file) => {
    const header = read(file).split('\n\n--- @include')[0] ?? '';
    const positions = ['-- KEYS\n', '-- ARGV\n', '-- Reply', '-- Atomic because'].map((title) =>
      header.indexOf(title),
    );
    expect(positions).not.toContain(-1);
    expect(positions).toEqual([...positions].sort((one, other) => one - other));
  },
);

test.each(scripts)('%s: lua/README.md lists it', (file) => {
  expect(read('../lua/README.md')).toContain(`\`${file}\``);
});

test('the callers in lua/README.md exist', () => {
  const callers = [...read('../lua/README.md').matchAll(/`(server\/[\w/.-]+)`/g)].map(
    ([, file = '']) => file,
  );
  expect(callers.length).toBeGreaterThan(scripts.length / 2);
  expect(callers.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('an include is inserted once', () => {
  const script = readScript('limiter/decide.lua');
  expect(script).not.toContain('@include');
  expect(script.match(/local function now_ms/g)).toHaveLength(1);
});

function section(script: string, title: string): string {
  const [, after = ''] = script.split(`-- ${title}\n`);
  return after.split(/^-- [A-Z]/m)[0] ?? '';
}
