import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { freshDatabase, type TestDatabase } from '../../test/database';
import { queryDatabases } from '../../test/databases';
import { auditLog, users } from '../db/schema';
import { cursorInput } from '../trpc/inputs';
import { listAuditLog } from './list-audit-log';

const cursorSchema = cursorInput(z.tuple([z.int()]));

describe.each(queryDatabases)('on $kind', ({ url, pglite }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase(await url(), { pglite });
    await database.db.insert(users).values({ id: 'u-ada', name: 'Ada', role: 'admin' });
    for (let n = 1; n <= 5; n++) await write(n);
  });
  afterAll(() => database.drop());

  const write = (n: number) =>
    database.db.insert(auditLog).values({
      who: n === 1 ? 'u-gone' : 'u-ada',
      what: 'coupon.update',
      target: `coupon-${n}`,
      before: { priceCents: n },
      after: { priceCents: n + 1 },
      why: n === 1 ? null : `reason ${n}`,
    });

  test('the audit log lists who, what, before, after, why and when, newest first', async () => {
    const { entries, nextCursor } = await listAuditLog(database.db);
    expect(entries.map(({ target }) => target)).toEqual([5, 4, 3, 2, 1].map((n) => `coupon-${n}`));
    expect(entries[0]).toEqual({
      id: expect.any(Number),
      at: expect.any(Number),
      who: 'u-ada',
      whoName: 'Ada',
      what: 'coupon.update',
      target: 'coupon-5',
      before: { priceCents: 5 },
      after: { priceCents: 6 },
      why: 'reason 5',
    });
    expect(Math.abs((entries[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(entries.at(-1), 'of a user who is gone').not.toHaveProperty('whoName');
    expect(entries.at(-1)).not.toHaveProperty('why');
    expect(nextCursor).toBeUndefined();
  });

  test('each entry is on one page, also when entries are added meanwhile', async () => {
    const first = await listAuditLog(database.db, { limit: 2 });
    await write(6);
    const second = await listAuditLog(database.db, {
      limit: 2,
      cursor: cursorSchema.parse(first.nextCursor),
    });
    const last = await listAuditLog(database.db, { limit: 2, cursor: cursorSchema.parse(second.nextCursor) });
    const targets = [first, second, last].map(({ entries }) => entries.map(({ target }) => target));
    expect(targets).toEqual([['coupon-5', 'coupon-4'], ['coupon-3', 'coupon-2'], ['coupon-1']]);
    expect(last.nextCursor).toBeUndefined();
  });
});
