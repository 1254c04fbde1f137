import { expect, test } from 'vitest';
import { PAUSE_MS } from '../../server/demo/rounds';
import { ROUND_PAUSE_MS } from './flood-controls';

test('the page counts down the same pause between two rounds as the server waits', () => {
  expect(ROUND_PAUSE_MS).toBe(PAUSE_MS);
});
