import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../limiter/index';
import type { Gate, GatePurchase, GateReply } from './gate/gate';
import { createKnownBuyers } from './gate/known-buyers';
import { createWaitingCalls } from './ledger/settled-orders';
import { createPurchase, type PurchaseOptions } from './purchase';

const ada = { couponId: 'coupon', userId: 'ada' };
const accepted: GateReply = { outcome: 'accepted', order: { id: 'order', createdAt: 1 } };
const notReached = () => Promise.reject(new Error('not reached'));

/** A purchase at a gate with these answers, and the steps that it took. */
function purchaseAt(answer: (purchase: GatePurchase) => GateReply) {
  const steps: string[] = [];
  const buyers = createKnownBuyers();
  const gate: Gate = {
    async purchase(purchase) {
      steps.push(purchase.isPeek ? 'peek' : 'buy');
      return answer(purchase);
    },
    ...{ open: notReached, close: notReached, releaseReservation: notReached, readState: notReached },
  };
  const purchase = createPurchase({
    ...{ gate, buyers, ensureGate: async () => true, findCoupon: notReached, requestDrain: () => undefined },
    ...{ findWrittenOrder: async () => undefined, findOrderOfRequest: async () => undefined },
    ...{ waitingCalls: createWaitingCalls(), onOutcome: () => undefined },
  });
  const buy = (options: Partial<PurchaseOptions> = {}) =>
    purchase({ kind: 'seckill', ...ada, deadline: performance.now() + 200, ...options });
  return { steps, buyers, buy };
}

const openGate = ({ isPeek }: GatePurchase): GateReply => (isPeek ? { outcome: 'could-buy' } : accepted);

test('a call that was charged buys at once', async () => {
  const { steps, buyers, buy } = purchaseAt(openGate);
  await expect(buy()).resolves.toMatchObject({ outcome: 'accepted' });
  expect(steps).toEqual(['buy']);
  expect(buyers.has(ada)).toBe(true);
});

test('a call that was decided without a level peeks, charges it, then buys', async () => {
  const { steps, buy } = purchaseAt(openGate);
  const chargeExcluded = async () => void steps.push('charge');
  await expect(buy({ chargeExcluded })).resolves.toMatchObject({ outcome: 'accepted' });
  expect(steps).toEqual(['peek', 'charge', 'buy']);
});

test('if the gate would not sell, nothing more is charged', async () => {
  const { steps, buy } = purchaseAt(() => ({ outcome: 'sold-out' }));
  await expect(buy({ chargeExcluded: notReached })).resolves.toEqual({ outcome: 'sold-out' });
  expect(steps).toEqual(['peek']);
});

test('if the level refuses, nothing is bought, and the next call is decided with it', async () => {
  const { steps, buyers, buy } = purchaseAt(openGate);
  buyers.addOrder(ada);
  const chargeExcluded = () => Promise.reject(new Error('full'));
  await expect(buy({ chargeExcluded })).rejects.toThrow('full');
  expect(steps).toEqual(['peek']);
  expect(buyers.has(ada)).toBe(false);
});

test('after a charged call that bought nothing the shopper peeks first, unless the store was unavailable', async () => {
  const behind = purchaseAt(() => ({ outcome: 'behind' }));
  await behind.buy();
  expect(behind.buyers.has(ada)).toBe(true);

  const unavailable = purchaseAt(() => {
    throw new StoreUnavailableError('no answer');
  });
  await expect(unavailable.buy()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(unavailable.buyers.has(ada)).toBe(false);
});

test('claims are not added to the known buyers', async () => {
  const { buyers, buy } = purchaseAt(openGate);
  await buy({ kind: 'claim' });
  expect(buyers.has(ada)).toBe(false);
});
