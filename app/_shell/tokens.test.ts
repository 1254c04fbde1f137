import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../server/paths';

const files = readdirSync(path.join(root, 'app'), { recursive: true, encoding: 'utf8' })
  .map((file) => path.posix.join('app', file))
  .filter((file) => /\.(?:css|svg|tsx?)$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
const tokens = readFileSync(path.join(root, 'app/globals.css'), 'utf8');
const all = files.map(({ text }) => text).join('\n');

test('every token is used', () => {
  const declared = new Set([...tokens.matchAll(/^\s+(--[\w-]+):/gm)].map(([, name = '']) => name));
  expect([...declared].filter((name) => !new RegExp(`var\\(${name}\\b(?!-)`).test(all))).toEqual([]);
});

test('every token that a component uses is declared', () => {
  const declared = new Set([...all.matchAll(/(--[\w-]+)['"]?\]?:/g)].map(([, name]) => name));
  const fromFont = '--face';
  const used = new Set([...all.matchAll(/var\((--[\w-]+)\)/g)].map(([, name = '']) => name));
  expect([...used].filter((name) => name !== fromFont && !declared.has(name))).toEqual([]);
});

/** The rules with a tracking of their own contain codes, which are Latin in every language. */
const codes = [
  'app/_components/coupon.module.css',
  'app/_shell/mailbox-list.module.css',
  'app/_sign-in/sign-in.module.css',
  'app/_wallet/scan-code.module.css',
];

test('Chinese titles are not tracked: only codes have a tracking besides the token', () => {
  const tracked = files.filter(({ text }) => /letter-spacing:(?! var\(--tracking-title\))/.test(text));
  expect(tracked.map(({ file }) => file).toSorted()).toEqual(codes);
  expect(tokens).toMatch(/:lang\(zh\) \{[^}]*--tracking-title: 0;/);
});
