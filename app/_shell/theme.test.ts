import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import manifest from '../manifest';
import { themeColors } from './theme';

const css = readFileSync(new URL('../globals.css', import.meta.url), 'utf8');

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
