import { createNodeClient } from './node-clients';
import { until } from './until';

/** Waits until each node sells the coupon. If the row was inserted directly, its gate opens within a second. */
export async function untilOpen(
  urls: readonly string[],
  couponId: string,
  signal?: AbortSignal,
): Promise<void> {
  const clients = urls.map(createNodeClient);
  await until(
    async () => {
      const answers = clients.map(({ calls }) =>
        calls.coupon.byId.query({ id: couponId }).then(({ coupon }) => coupon.state === 'live'),
      );
      return (await Promise.all(answers)).every(Boolean);
    },
    { withinMs: 30_000, signal },
  );
}
