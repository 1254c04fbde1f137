import { withPostgres } from './with-postgres';

/** The rows of a shop. All default to 0. */
export interface ShopSize {
  merchants: number;
  /** Live coupons, three seckills with a stock of 1,000 for each claim. Their ids are `live-1`, `live-2`, …. */
  live?: number;
  /** Seckills that ended an hour ago, which the shop still shows. */
  endedToday?: number;
  /** Seckills that ended more than a week ago. */
  ended?: number;
  /** Orders of ended coupons, each of another shopper. A seventh of them is expired, and about a hundred are cancelled. */
  orders?: number;
  /** Orders of `bigShopper`, of an ended claim. */
  ordersOfShopper?: number;
  /** Payments of orders. */
  payments?: number;
  /** Rules of persons, at most 10,000. */
  persons?: number;
  auditEntries?: number;
}

/** The shopper with `ordersOfShopper`. */
export const bigShopper = 'big-shopper';

/**
 * Inserts a shop into an empty, migrated database and updates the statistics of the planner. A million orders take about
 * a minute. Needs a superuser, because it does not check foreign keys.
 */
export async function loadShop(url: string, size: ShopSize): Promise<void> {
  const { merchants, live = 0, endedToday = 0, ended = 0, orders = 0, ordersOfShopper = 0 } = size;
  const { payments = 0, persons = 0, auditEntries = 0 } = size;
  await withPostgres(url, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `
      insert into merchants (id, name, category, address, about)
      select 'merchant-' || n,
        jsonb_build_object('en', 'Shop ' || md5(n::text), 'zh', '店 ' || md5(n::text)),
        jsonb_build_object('en', 'Food', 'zh', '美食'),
        jsonb_build_object('en', n || ' River Road', 'zh', '江路 ' || n),
        jsonb_build_object('en', 'Everything that is sold here is made here.', 'zh', '这里卖的都是这里做的。')
      from generate_series(1, $1::int) n`,
      [merchants],
    );
    await client.query(
      `
      insert into coupons (id, merchant_id, kind, title, face_value_cents, price_cents, stock, starts_at, ends_at, created_at)
      select id || n, 'merchant-' || 1 + n % $1::int, kind::coupon_kind,
        jsonb_build_object('en', 'Dinner number ' || n || ' for two', 'zh', '双人晚餐 ' || n),
        5000, case when stock is null then 0 else 990 end, stock, starts_at, ends_at, starts_at
      from (
        select 'live-' as id, n, case when n % 4 = 0 then 'claim' else 'seckill' end as kind,
          case when n % 4 = 0 then null else 1000 end as stock,
          now() - n * interval '1 second' as starts_at, now() + interval '2 days' + n * interval '1 minute' as ends_at
        from generate_series(1, $2::int) n
        union all
        select 'ended-', n, 'seckill', 1000000,
          now() - interval '9 days' - n * interval '1 minute', now() - interval '8 days' - n * interval '1 minute'
        from generate_series(1, $3::int) n
        union all
        select 'today-', n, 'seckill', 100, now() - interval '3 hours', now() - interval '1 hour'
        from generate_series(1, $4::int) n
        union all
        select 'claim-', 0, 'claim', null, now() - interval '900 days', now() - interval '9 days'
      ) as coupon`,
      [merchants, live, ended, endedToday],
    );
    await client.query(
      `
      insert into orders
        (id, coupon_id, user_id, status, one_per_shopper, code, request_id, created_at, confirmed_at, hold_until)
      select id, coupon_id, user_id, status::order_status, coupon_id not like 'claim-%', left(id, 8), id, at, at,
        case when coupon_id like 'claim-%' then null else at + interval '15 minutes' end
      from (
        select md5('order' || n) as id, 'ended-' || 1 + n % $1::int as coupon_id, 'shopper-' || n as user_id,
          case when n % greatest(10, $2::int / 100) = 0 then 'cancelled' when n % 7 = 0 then 'expired' else 'paid' end as status,
          now() - interval '8 days' - n * interval '1 second' as at
        from generate_series(1, $2::int) n
        union all
        select md5('own' || n), 'claim-0', $3, 'confirmed', now() - interval '9 days' - n * interval '1 minute'
        from generate_series(1, $4::int) n
      ) as placed`,
      [ended, orders, bigShopper, ordersOfShopper],
    );
    await client.query(`
      update coupons set sold = placed.count from (
        select coupon_id, count(*) from orders where status in ('confirmed', 'paid') group by coupon_id
      ) as placed where placed.coupon_id = coupons.id`);
    await client.query(
      `
      insert into payments (id, order_id, amount_cents, method, status, created_at, ask_again_at, settled_at)
      select md5('payment' || id), id, 990, 'approves', 'approved', created_at, created_at, created_at
      from orders where status = 'paid' limit $1::int`,
      [payments],
    );
    await client.query(
      `
      insert into limit_person_overrides (policy, level, ref, subject, kind, "limit", who, why, version)
      select 'coupon.seckill', 'user', left(md5('person' || n), 22), left(md5(n::text), 4) || '…', 'numbers', 20, 'ops',
        'A regular of shop ' || n, 1
      from generate_series(1, $1::int) n`,
      [persons],
    );
    await client.query(`
      insert into limit_overrides (policy, level, version, who) values ('coupon.seckill', 'user', 1, 'ops')`);
    await client.query(
      `
      insert into audit_log (changed_at, who, what, target, before, after, why)
      select now() - n * interval '1 minute', 'ops', 'limit.update', 'coupon.seckill:user',
        '{"limit": 5}', '{"limit": 6}', 'Entry ' || n
      from generate_series(1, $1::int) n`,
      [auditEntries],
    );
    await client.query('analyze');
  });
}
