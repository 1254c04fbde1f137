import { deepEqual, ok } from 'node:assert/strict';
import * as after from './after.js';
import * as before from './before.js';

for (const { call, close } of [before, after]) {
  const startedAt: number[] = [];
  const send = (index: number) =>
    call(async () => {
      startedAt.push(performance.now());
      return index;
    });
  const numbers = [...Array(41).keys()];
  deepEqual(await Promise.all(numbers.map(send)), numbers);
  const [first = 0] = startedAt;
  // 41 calls at 20 a second take two seconds, less the precision of a timer.
  ok((startedAt.at(-1) ?? 0) - first > 1_900, 'the calls started too early');
  await close();
}
