import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '../server/limiter/index';

/** More than the limit, so that every free lease is taken at once. */
const CALLERS = 8;

/** Runs callers, each with one call at a time, until the parent exits. */
export async function runCallers(callOnce: () => Promise<void>): Promise<void> {
  process.once('disconnect', () => process.exit());
  const callForever = async () => {
    for (;;) {
      try {
        await callOnce();
      } catch (error) {
        // After a pause, replies may arrive after their timeout.
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
      await sleep(randomInt(20));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, callForever));
}

/** Sends the state of a call to the parent. */
export function reportCall(call: object): Promise<void> {
  return new Promise((resolve) => process.send?.(call, () => resolve()));
}
