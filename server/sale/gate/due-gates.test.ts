import { beforeEach, expect, test, vi } from 'vitest';
import { type ChangedGates, createChangedGates } from './changed-gates';
import { createDueGates, SLICE, type SliceEnd } from './due-gates';

const shop = Array.from({ length: 2.5 * SLICE }, (_, index) => ({
  id: `coupon-${index}`,
  endsAt: new Date(index),
}));

let changedGates: ChangedGates;
const listAll = vi.fn(async () => shop);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  changedGates = createChangedGates();
  listAll.mockClear();
  return () => vi.useRealTimers();
});

function dueGates() {
  return createDueGates({
    changedGates,
    listAll,
    listChanged: async (ids) => shop.filter(({ id }) => ids.includes(id)),
    listSlice: async (after?: SliceEnd) =>
      shop.filter(({ endsAt }) => !after || endsAt > after.endsAt).slice(0, SLICE),
  });
}

test('the first run reads every gate, the next ones read slices that cover all', async () => {
  const listDue = dueGates();
  expect(await listDue()).toEqual(shop);
  const slices = [await listDue(), await listDue(), await listDue()];
  expect(slices.map(({ length }) => length)).toEqual([SLICE, SLICE, SLICE / 2]);
  expect(slices.flat()).toEqual(shop);
  expect(await listDue()).toEqual(slices[0]);
});

test('a changed gate is due for three seconds, whatever its slice', async () => {
  const listDue = dueGates();
  await listDue();
  const [last = { id: '', endsAt: new Date() }] = shop.slice(-1);
  changedGates.add(last.id);
  expect(await listDue()).toContain(last);
  vi.advanceTimersByTime(2_900);
  expect(await listDue()).toContain(last);
  vi.advanceTimersByTime(200);
  await listDue();
  expect(await listDue()).not.toContain(last);
});

test('after a gap every job reads every gate once, also if the first read fails', async () => {
  const jobs = [dueGates(), dueGates()];
  for (const listDue of jobs) await listDue();
  changedGates.addGap();
  for (const listDue of jobs) {
    listAll.mockRejectedValueOnce(new Error('Postgres is away'));
    await expect(listDue()).rejects.toThrow('away');
    expect(await listDue()).toEqual(shop);
    expect(await listDue()).toHaveLength(SLICE);
  }
});

test('while Postgres is down a job reads the last known gates, and each gate again afterwards', async () => {
  const listChanged = vi.fn(async () => shop.slice(0, 1));
  const listDue = createDueGates({ changedGates, listAll, listChanged, listSlice: async () => [] });
  await listDue();
  expect(await listDue()).toEqual(shop.slice(0, 1));
  listChanged.mockRejectedValueOnce(Object.assign(new Error('down'), { code: 'ECONNREFUSED' }));
  expect(await listDue()).toEqual(shop);
  listChanged.mockRejectedValueOnce(Object.assign(new Error('down'), { code: 'ECONNREFUSED' }));
  listAll.mockRejectedValueOnce(new Error('down'));
  await expect(listDue()).rejects.toThrow('down');
  expect(await listDue()).toEqual(shop);
});
