import { expect, test } from 'vitest';
import { messages } from './messages';

test('every text exists in both languages with the same placeholders', () => {
  const en = textsOf(messages.en);
  const zh = textsOf(messages.zh);
  expect([...zh.keys()]).toEqual([...en.keys()]);
  for (const [name, text] of en) {
    expect(zh.get(name), name).toBeTruthy();
    expect(placeholders(zh.get(name) ?? ''), name).toEqual(placeholders(text));
  }
});

function textsOf(tree: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) => {
      const name = prefix ? `${prefix}.${key}` : key;
      if (typeof value === 'string') return [[name, value] as const];
      return typeof value === 'object' && value !== null ? [...textsOf(value, name)] : [];
    }),
  );
}

/** Returns the placeholder names of a message. */
function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\s*[,}]/g)].map(([, name]) => name ?? ''))].sort();
}
