import { StoreUnavailableError } from '../limiter';
import type { Gate, StandingGate } from './gate';

/** The gate of a coupon for display; undefined where it has no state or Redis is away: then nothing can be sold. */
export async function standingGate(
  gate: Gate,
  { couponId, deadline }: { couponId: string; deadline?: number },
): Promise<StandingGate | undefined> {
  try {
    return await gate.state(couponId, deadline);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}
