import { expect, test } from 'vitest';
import { createExperimentQueue } from './experiment-queue';

/** Creates work that runs until its signal aborts. */
function openWork() {
  let resolveStarted: () => void = () => undefined;
  const hasStarted = new Promise<void>((resolve) => {
    resolveStarted = resolve;
  });
  const work = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      resolveStarted();
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { work, hasStarted };
}

test('experiments run one at a time, in order of arrival', async () => {
  const queue = createExperimentQueue();
  const seen: string[] = [];
  const take = (name: string) =>
    queue.add(undefined, async () => {
      seen.push(`${name} starts`);
      await new Promise(setImmediate);
      seen.push(`${name} ends`);
    });
  await Promise.all([take('one'), take('two'), take('three')]);
  expect(seen).toEqual(['one starts', 'one ends', 'two starts', 'two ends', 'three starts', 'three ends']);
});

test('a full queue answers 503', async () => {
  const queue = createExperimentQueue({ maxWaiting: 1 });
  const { work } = openWork();
  const caller = new AbortController();
  const [first, second] = [queue.add(caller.signal, work), queue.add(undefined, async () => 'done')];
  await expect(queue.add(undefined, async () => 'done')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'Too many experiments are waiting. Try again in a moment.',
  });
  caller.abort();
  await expect(first).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  await expect(second).resolves.toBe('done');
  await expect(queue.add(undefined, async () => 'again')).resolves.toBe('again');
});

test('work of a caller who disconnects while waiting never starts', async () => {
  const queue = createExperimentQueue();
  const first = openWork();
  const [caller, waiting] = [new AbortController(), new AbortController()];
  const ended = queue.add(caller.signal, first.work);
  let started = false;
  const never = queue.add(waiting.signal, async () => {
    started = true;
  });
  await first.hasStarted;
  waiting.abort();
  caller.abort();
  await expect(ended).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  await expect(never).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  expect(started).toBe(false);
});

test('work that takes too long is aborted and answers 503', async () => {
  const queue = createExperimentQueue({ timeoutMs: 1 });
  await expect(queue.add(undefined, openWork().work)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The experiment took too long.',
  });
});

test('closing aborts running work, and later work fails', async () => {
  const queue = createExperimentQueue();
  const { work, hasStarted } = openWork();
  const ended = expect(queue.add(undefined, work)).rejects.toMatchObject({
    message: 'The server is shutting down.',
  });
  await hasStarted;
  await queue.close();
  await ended;
  await expect(queue.add(undefined, async () => 'done')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

test('other errors of the work are rethrown unchanged', async () => {
  const queue = createExperimentQueue();
  const bug = new Error('a bug');
  await expect(queue.add(undefined, () => Promise.reject(bug))).rejects.toBe(bug);
});
