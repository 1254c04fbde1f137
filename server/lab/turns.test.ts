import { expect, test } from 'vitest';
import { createTurns } from './turns';

/** Work that goes on until it is told to end. */
function openWork() {
  let began: () => void = () => undefined;
  const hasBegun = new Promise<void>((resolve) => {
    began = resolve;
  });
  const work = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      began();
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { work, hasBegun };
}

test('one experiment at a time, in the order in which they came', async () => {
  const turns = createTurns();
  const seen: string[] = [];
  const take = (name: string) =>
    turns.take(undefined, async () => {
      seen.push(`${name} begins`);
      await new Promise(setImmediate);
      seen.push(`${name} ends`);
    });
  await Promise.all([take('one'), take('two'), take('three')]);
  expect(seen).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends']);
});

test('when as many wait as may, the next is told that the lab is busy', async () => {
  const turns = createTurns({ mostWaiting: 1 });
  const { work } = openWork();
  const caller = new AbortController();
  const [first, second] = [turns.take(caller.signal, work), turns.take(undefined, async () => 'done')];
  await expect(turns.take(undefined, async () => 'done')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The lab is busy. Try again in a moment.',
  });
  caller.abort();
  await expect(first).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  await expect(second).resolves.toBe('done');
  await expect(turns.take(undefined, async () => 'again')).resolves.toBe('again');
});

test('a caller who goes away while others are at it never begins', async () => {
  const turns = createTurns();
  const first = openWork();
  const [caller, waiting] = [new AbortController(), new AbortController()];
  const ended = turns.take(caller.signal, first.work);
  let began = false;
  const never = turns.take(waiting.signal, async () => {
    began = true;
  });
  await first.hasBegun;
  waiting.abort();
  caller.abort();
  await expect(ended).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  await expect(never).rejects.toMatchObject({ code: 'CLIENT_CLOSED_REQUEST' });
  expect(began).toBe(false);
});

test('what takes too long is ended, and its caller told so', async () => {
  const turns = createTurns({ longestMs: 1 });
  await expect(turns.take(undefined, openWork().work)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'This took too long.',
  });
});

test('closing ends what is under way, and nothing begins after it', async () => {
  const turns = createTurns();
  const { work, hasBegun } = openWork();
  const ended = expect(turns.take(undefined, work)).rejects.toMatchObject({ message: 'The lab closes.' });
  await hasBegun;
  await turns.close();
  await ended;
  await expect(turns.take(undefined, async () => 'done')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

test('what goes wrong by itself is told as it is', async () => {
  const turns = createTurns();
  const bug = new Error('a bug');
  await expect(turns.take(undefined, () => Promise.reject(bug))).rejects.toBe(bug);
});
