import { createNodeClient } from './node-clients';
import { until } from './until';

/** A coupon that was inserted into the database has its gate within a second. Waits until every node sells it. */
export async function untilOpen(
  urls: readonly string[],
  couponId: string,
  signal?: AbortSignal,
): Promise<void> {
  const clients = urls.map(createNodeClient);
  await until(
    async () => {
      const looks = clients.map(({ calls }) =>
        calls.coupon.byId.query({ id: couponId }).then(({ coupon }) => coupon.state === 'live'),
      );
      return (await Promise.all(looks)).every(Boolean);
    },
    { withinMs: 30_000, signal },
  );
}
