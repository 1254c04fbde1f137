import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../server/paths';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

test('the logo of the page has the shapes and the colours of the icon', () => {
  const icon = read('app/_shell/icons/icon.svg');
  const shapes = [...icon.matchAll(/ d="([^"]+)"/g)].map(([, shape = '']) => shape);
  expect(shapes).toHaveLength(3);
  for (const shape of shapes) expect(read('app/_shell/logo.tsx')).toContain(shape);
  const colours = [...read('app/globals.css').matchAll(/--logo[\w-]*: (#\w+);/g)].map(
    ([, colour = '']) => colour,
  );
  expect(colours).toHaveLength(3);
  for (const colour of colours) expect(icon).toContain(colour);
});
