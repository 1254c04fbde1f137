import { vi } from 'vitest';

/** Less than the time limit of a test. */
const WAIT_MS = 25_000;

/**
 * Polls every `interval` ms (default 50) until a value is truthy, and returns it. Throws after `timeout` ms (default 25,000):
 * tests run side by side, and on a slow machine a step takes many times its usual time. A test of a time limit is serial.
 */
export const waitUntil: typeof vi.waitUntil = (callback, options) =>
  vi.waitUntil(callback, {
    timeout: WAIT_MS,
    ...(typeof options === 'number' ? { timeout: options } : options),
  });
