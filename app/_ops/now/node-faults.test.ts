import { expect, test } from 'vitest';
import type { Health } from '../live/ops-event';
import { listNodeFaults } from './node-faults';

const up: Health = { ok: true, detail: 'answers' };
const down: Health = { ok: false, detail: 'does not answer' };
const node = (name: string, ...failing: string[]) => ({ node: name, viewers: 0, failing });

test('a fault of all nodes is not repeated for each node', () => {
  const health = { redis: down, postgres: up };
  expect(listNodeFaults({ health, nodes: [node('a', 'redis')] })).toEqual([]);
  expect(listNodeFaults({ health, nodes: [node('a', 'redis'), node('b', 'redis', 'postgres')] })).toEqual([
    node('b', 'postgres'),
  ]);
});

test('a fault of one node names it, also if the node that answers has it', () => {
  const nodes = [node('a', 'redis'), node('b')];
  expect(listNodeFaults({ health: { redis: up }, nodes })).toEqual([node('a', 'redis')]);
  expect(listNodeFaults({ health: { redis: down }, nodes })).toEqual([node('a', 'redis')]);
});
