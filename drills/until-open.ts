import { eventually } from '../test/until';
import { createNodeClient } from './node-clients';

/** Waits until each node sells the coupon. If the row was inserted directly, its gate opens within a second. */
export async function untilOpen(
  urls: readonly string[],
  couponId: string,
  signal?: AbortSignal,
): Promise<void> {
  const clients = urls.map(createNodeClient);
  await eventually(
    async () => {
      const answers = clients.map(({ calls }) =>
        calls.coupon.byId.query({ id: couponId }).then(({ coupon }) => coupon.state === 'live'),
      );
      return (await Promise.all(answers)).every(Boolean);
    },
    'every node sells the coupon',
    { signal },
  );
}
