/**
 * Unexpected console output fails a test. A test that expects output mocks the method itself:
 * `vi.spyOn(console, 'warn').mockImplementation(…)`.
 */
import { afterEach, beforeEach, vi } from 'vitest';

const unexpected: string[] = [];

beforeEach(() => {
  unexpected.length = 0;
  for (const method of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((...args: unknown[]) => {
      unexpected.push(`console.${method}: ${args.map(String).join(' ')}`);
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  if (unexpected.length > 0) throw new Error(`Unexpected console output:\n${unexpected.join('\n')}`);
});
