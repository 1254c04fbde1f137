import pg from 'pg';

/** Locks the row of a coupon like a slow transaction: the ledger waits, while the gate continues. */
export async function lockCoupon(
  databaseUrl: string,
  couponId: string,
): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from coupons where id = $1 for update', [couponId]);
  return {
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}
