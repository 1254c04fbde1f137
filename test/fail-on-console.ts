import { afterEach, beforeEach, vi } from 'vitest';

/**
 * Any console output that a test did not expect fails it: a warning nobody reads is an error nobody fixed.
 * A test that expects output mocks the method itself, `vi.spyOn(console, 'warn').mockImplementation(…)`.
 */
const unexpected: string[] = [];

beforeEach(() => {
  unexpected.length = 0;
  for (const method of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      unexpected.push(`console.${method}: ${words.map(String).join(' ')}`);
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  if (unexpected.length > 0) throw new Error(`Unexpected console output:\n${unexpected.join('\n')}`);
});
