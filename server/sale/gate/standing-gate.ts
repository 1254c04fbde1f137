import { StoreUnavailableError } from '../../limiter';
import type { Gate, GateState } from './gate';

/** The gate of a coupon for display; undefined where it has no state or an old one, or Redis is away: it cannot sell. */
export async function readCurrentState(
  gate: Gate,
  { couponId, deadline }: { couponId: string; deadline?: number },
): Promise<GateState | undefined> {
  try {
    const standing = await gate.readState(couponId, deadline);
    return standing?.isStale ? undefined : standing;
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}
