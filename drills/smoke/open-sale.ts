import { TRPCClientError } from '@trpc/client';
import { StepError } from '../../scripts/lib/steps.mjs';
import type { Admin } from '../node-clients';
import { untilOpen } from '../until-open';
import { signInDemo } from './accounts';

/** A sale of the smoke test's own, so that it neither needs nor sells what is on sale. */
export interface SmokeSale {
  couponId: string;
  stock: number;
  /** The operator of the demo. */
  admin: Admin;
  cookie: string;
  /** Reads the stock that the sale page shows. Returns undefined for a failed call. */
  readRemaining(): Promise<number | undefined>;
  /** Ends the sale. */
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const FACE_VALUE_CENTS = 1_000;

/** Signs in as the operator of the demo, and opens a sale of this stock at this price. */
export async function openSale(
  url: string,
  { stock, priceCents, signal }: { stock: number; priceCents: number; signal: AbortSignal },
): Promise<SmokeSale> {
  const { node, cookie } = await signInDemo(url, { name: 'Smoke test', role: 'admin' });
  const admin = node.batched(cookie);
  const [merchant] = (await node.calls.merchant.list.query()).merchants;
  if (!merchant) throw new StepError('The demo has no merchants, so no coupon can be created.');
  const now = Date.now();
  const { coupon } = await admin.coupon.create.mutate({
    merchantId: merchant.id,
    kind: 'seckill',
    title: { en: 'Smoke test', zh: '冒烟测试' },
    faceValueCents: FACE_VALUE_CENTS,
    priceCents,
    stock,
    // The clocks of the two machines may differ.
    startsAt: now - HOUR_MS,
    endsAt: now + HOUR_MS,
  });
  const close = async () => void (await admin.coupon.close.mutate({ id: coupon.id }));
  try {
    await untilOpen([url], coupon.id, signal);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    couponId: coupon.id,
    stock,
    admin,
    cookie,
    async readRemaining() {
      try {
        return (await node.calls.coupon.byId.query({ id: coupon.id })).coupon.stock?.remaining;
      } catch (error) {
        if (!(error instanceof TRPCClientError)) throw error;
        return undefined;
      }
    },
    close,
  };
}
