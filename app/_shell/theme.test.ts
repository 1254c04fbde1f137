import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../server/paths';
import manifest from '../manifest';
import { themeColors } from './theme';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const css = read('app/globals.css');

const files = readdirSync(path.join(root, 'app'), { recursive: true, encoding: 'utf8' })
  .map((file) => path.posix.join('app', file))
  .filter((file) => /\.(?:css|svg|tsx?)$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => ({ file, text: read(file) }));
const all = files.map(({ text }) => text).join('\n');

test('every token is used', () => {
  const declared = new Set([...css.matchAll(/^\s+(--[\w-]+):/gm)].map(([, name = '']) => name));
  expect([...declared].filter((name) => !new RegExp(`var\\(${name}\\b(?!-)`).test(all))).toEqual([]);
});

test('every token that a component uses is declared', () => {
  const declared = new Set([...all.matchAll(/(--[\w-]+)['"]?\]?:/g)].map(([, name]) => name));
  const fromFont = '--face';
  const used = new Set([...all.matchAll(/var\((--[\w-]+)\)/g)].map(([, name = '']) => name));
  expect([...used].filter((name) => name !== fromFont && !declared.has(name))).toEqual([]);
});

test('every class that a component names is in its style sheet', () => {
  const missing = files.flatMap(({ file, text }) =>
    [...text.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].flatMap(([, sheet, specifier = '']) => {
      const rules = read(path.posix.join(path.posix.dirname(file), specifier));
      const named = [...text.matchAll(new RegExp(`(?<!/)\\b${sheet}\\.(\\w+)`, 'g'))].map(
        ([, name = '']) => name,
      );
      return named
        .filter((name) => !new RegExp(`\\.${name}\\b`).test(rules))
        .map((name) => `${file}: ${name}`);
    }),
  );
  expect(missing).toEqual([]);
});

/** The rules with a tracking of their own contain codes, which are Latin in every language. */
const codes = [
  'app/_components/coupon.module.css',
  'app/_shell/shell.module.css',
  'app/_sign-in/sign-in.module.css',
  'app/_wallet/scan-code.module.css',
];

test('Chinese titles are not tracked: only codes have a tracking besides the token', () => {
  const tracked = files.filter(({ text }) => /letter-spacing:(?! var\(--tracking-title\))/.test(text));
  expect(tracked.map(({ file }) => file).toSorted()).toEqual(codes);
  expect(css).toMatch(/:lang\(zh\) \{[^}]*--tracking-title: 0;/);
});

/** Returns the value of a token of globals.css, as it is written there. */
function readToken(name: string): string | undefined {
  return new RegExp(`--${name}: (.+);`).exec(css)?.[1];
}

test("the colours of the browser's bar are the design's surface in both themes", () => {
  const [light, dark] = themeColors('system').map(({ color }) => color);
  expect(`light-dark(${light}, ${dark})`).toBe(readToken('surface'));
});

test('the colours of the web app manifest are those of the page and the logo', () => {
  const { background_color: background, theme_color: theme } = manifest();
  expect(readToken('paper')).toContain(`light-dark(${background},`);
  expect(theme).toBe(readToken('logo'));
});

test('the logo of the page has the shapes and the colours of the icon', () => {
  const icon = read('app/_shell/icons/icon.svg');
  const shapes = [...icon.matchAll(/ d="([^"]+)"/g)].map(([, shape = '']) => shape);
  expect(shapes).toHaveLength(3);
  for (const shape of shapes) expect(read('app/_shell/header.tsx')).toContain(shape);
  const colours = [...css.matchAll(/--logo[\w-]*: (#\w+);/g)].map(([, colour = '']) => colour);
  expect(colours).toHaveLength(3);
  for (const colour of colours) expect(icon).toContain(colour);
});

/** Pairs of text and surface: at least 4.5:1. */
const texts = [
  ...['paper', 'surface', 'raised'].flatMap((surface) =>
    ['ink', 'ink-soft', 'accent', 'fail', 'good'].map((ink) => [ink, surface]),
  ),
  ...['accent', 'fail'].flatMap((name) => [
    [`on-${name}`, name],
    [`on-${name}`, `${name}-strong`],
  ]),
  ['on-wait', 'wait'],
  ...['accent', 'wait', 'fail', 'good', 'mute'].map((name) => [`on-${name}-soft`, `${name}-soft`]),
] as [string, string][];

/** Pairs of a mark or an edge and the surface around it: at least 3:1. */
const marks: [string, string][] = [
  ...['paper', 'surface', 'raised'].flatMap((surface) =>
    ['accent', 'wait', 'fail', 'good', 'line-strong'].map((mark): [string, string] => [mark, surface]),
  ),
  // The excess of a limit bar: its hatch, and the bar around it.
  ...['wait', 'fail'].flatMap((mark): [string, string][] => [
    [mark, `${mark}-soft`],
    [mark, 'mute-soft'],
  ]),
];

const themes = ['light', 'dark'] as const;

test.each(themes)('every text of the %s theme has a contrast of at least 4.5:1', (theme) => {
  expect(texts.filter(([ink, surface]) => contrast(ink, surface, theme) < 4.5)).toEqual([]);
});

test.each(themes)('every mark of the %s theme has a contrast of at least 3:1', (theme) => {
  expect(marks.filter(([mark, surface]) => contrast(mark, surface, theme) < 3)).toEqual([]);
});

function contrast(one: string, other: string, theme: (typeof themes)[number]): number {
  const [dark = 0, light = 0] = [luminance(one, theme), luminance(other, theme)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the relative luminance of a token, by the formula of WCAG 2.2: black 0, white 1. */
function luminance(token: string, theme: (typeof themes)[number]): number {
  const [, light, dark] = new RegExp(`--${token}: light-dark\\(#(\\w{6}), #(\\w{6})\\);`).exec(css) ?? [];
  const colour = theme === 'light' ? light : dark;
  if (colour === undefined) throw new Error(`globals.css has no colour --${token}`);
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
