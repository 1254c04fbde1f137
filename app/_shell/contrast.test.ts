import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync(new URL('../globals.css', import.meta.url), 'utf8');

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
