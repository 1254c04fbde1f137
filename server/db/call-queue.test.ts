import { expect, test } from 'vitest';
import { createCallerQueues, createCallQueue, QueueFullError } from './call-queue';

/** Work that the test ends. */
function heldWork() {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const work = (index: number) => () =>
    new Promise<number>((resolve) => {
      started.push(index);
      ends.push(() => resolve(index));
    });
  return { work, started, endNext: () => ends.shift()?.() };
}

test('as many tasks run at once as there are permits, and the others follow in order', async () => {
  const { work, started, endNext } = heldWork();
  const runQueued = createCallQueue({ permits: 2 });
  const results = [1, 2, 3, 4].map((index) => runQueued(work(index)));
  await expect.poll(() => started).toEqual([1, 2]);
  endNext();
  await results[0];
  await expect.poll(() => started).toEqual([1, 2, 3]);
  for (let index = 0; index < 3; index += 1) endNext();
  await expect.poll(() => started).toEqual([1, 2, 3, 4]);
  endNext();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
});

test('work beyond the maximum queue length is refused at once and never runs', async () => {
  const { work, started, endNext } = heldWork();
  const runQueued = createCallQueue({ permits: 1, maxWaiting: 1 });
  const [first, second, third] = [1, 2, 3].map((index) => runQueued(work(index)));
  await expect(third).rejects.toThrow(QueueFullError);
  await expect.poll(() => started).toEqual([1]);
  endNext();
  await first;
  await expect.poll(() => started).toEqual([1, 2]);
  endNext();
  expect(await second).toBe(2);
});

test('work that has waited too long is dropped', async () => {
  const { work, started, endNext } = heldWork();
  const runQueued = createCallQueue({ permits: 1, maxWaitMs: -1 });
  const first = runQueued(work(1));
  await expect(first).rejects.toThrow(QueueFullError);
  expect(started).toEqual([]);
  endNext();
});

test('a failure rejects its own call and frees the permit', async () => {
  const runQueued = createCallQueue({ permits: 1 });
  const failed = runQueued(async () => Promise.reject(new Error('a bug')));
  const next = runQueued(async () => 'done');
  await expect(failed).rejects.toThrow('a bug');
  expect(await next).toBe('done');
});

test('a caller waits only for its own calls', async () => {
  const { work, started, endNext } = heldWork();
  const runForCaller = createCallerQueues({ maxWaiting: 1 });
  const ada = [1, 2, 3].map((index) => runForCaller('ada', work(index)));
  const bob = runForCaller('bob', work(4));
  await expect(ada[2]).rejects.toThrow(QueueFullError);
  await expect.poll(() => started).toEqual([1, 4]);
  for (let index = 0; index < 2; index += 1) endNext();
  expect(await bob).toBe(4);
  await expect.poll(() => started).toEqual([1, 4, 2]);
  endNext();
  expect(await Promise.all(ada.slice(0, 2))).toEqual([1, 2]);
});
