import { expect, test } from 'vitest';
import type { PurchaseOutcome } from '../purchase';
import { createOnTurn } from './on-turn';

const SERVED_AT = 1_000;
const turn = {
  ticketId: 'ticket',
  group: 'tea',
  payload: JSON.stringify({ userId: 'ada', requestId: 'request' }),
  joinedAt: 0,
  servedAt: SERVED_AT,
  promisedAt: SERVED_AT,
  again: false,
};

/** Runs the turn at a time after its charge. The sale answers the outcomes one after the other. */
async function runTurn(outcomes: readonly ('paused' | 'sold-out')[], { afterMs }: { afterMs: number }) {
  const bought: unknown[] = [];
  const voided: unknown[] = [];
  const onTurn = createOnTurn({
    async purchase({ couponId, userId, requestId }): Promise<PurchaseOutcome> {
      bought.push({ couponId, userId, requestId });
      return { outcome: outcomes[bought.length - 1] ?? 'paused' };
    },
    voidGroup: async (...group) => voided.push(group),
    storeNow: () => SERVED_AT + afterMs,
    signal: new AbortController().signal,
    retryMs: 0,
  });
  return { result: await onTurn(turn), bought, voided };
}

test('a purchase that finds the sale paused is repeated under its request id', async () => {
  const { result, bought, voided } = await runTurn(['paused', 'sold-out'], { afterMs: 59_999 });
  expect(result).toEqual({ outcome: '{"outcome":"sold-out"}' });
  expect(bought).toEqual(Array(2).fill({ couponId: 'tea', userId: 'ada', requestId: 'request' }));
  expect(voided).toEqual([['tea', 'sold-out']]);
});

test('a sale that is paused 60 s after the charge loses the ticket', async () => {
  const { result, bought } = await runTurn(['paused'], { afterMs: 60_000 });
  expect(result).toEqual({ reason: 'lost' });
  expect(bought).toHaveLength(1);
});
