import { expect, test } from 'vitest';
import { inTurn } from './in-turn';

/** Work that ends when it is told to, and what is under way. */
function gatedWork() {
  const underWay = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      underWay.set(name, () => {
        underWay.delete(name);
        resolve(name);
      });
    });
  return { work, end: (name: string) => underWay.get(name)?.(), names: () => [...underWay.keys()] };
}

test('as many run at once as are allowed, and the rest in the order in which they came', async () => {
  const { work, end, names } = gatedWork();
  const run = inTurn(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => run(work(name)));
  expect(names()).toEqual(['a', 'b']);
  end('b');
  await all[1];
  await expect.poll(names).toEqual(['a', 'c']);
  end('c');
  await expect.poll(names).toEqual(['a', 'd']);
  end('a');
  end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('work that fails leaves its place to the next', async () => {
  const run = inTurn(1);
  const failing = run(() => Promise.reject(new Error('no')));
  const next = run(async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
