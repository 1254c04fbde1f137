import { expect, test } from 'vitest';
import { idInput, plainText } from './plain-text';

const name = plainText({ min: 1, max: 5 });

test.each([
  ['  Ann ', 'Ann'],
  ['李雷', '李雷'],
  // e + combining acute = é
  ['Rene\u0301', 'Ren\u00e9'],
])('%j is taken as %j', (typed, taken) => expect(name.parse(typed)).toBe(taken));

test.each([
  ['nothing but spaces', '   '],
  ['too long', 'Johann'],
  ['a NUL, which Postgres cannot store', 'A\0B'],
  ['a line break', 'A\nB'],
  ['text that runs backwards', 'A\u202eB'],
  ['half a surrogate pair', 'A\ud83d'],
])('refused: %s', (_case, typed) => expect(name.safeParse(typed).success).toBe(false));

test('an id is anything of one line, up to 64 characters', () => {
  expect(idInput.parse('hotpot-50-r1')).toBe('hotpot-50-r1');
  for (const refused of ['', 'a\0', 'a'.repeat(65)]) expect(idInput.safeParse(refused).success).toBe(false);
});
