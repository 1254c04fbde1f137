import { useState } from 'react';
import type { PurchaseResult } from './use-purchase';

/** Removes the result of a click that failed because of an outage when the outage ends: the result is no longer true. */
export function useClearAfterOutage(isOutage: boolean, { result, clear }: Clearable): void {
  const [wasOutage, setWasOutage] = useState(isOutage);
  if (wasOutage === isOutage) return;
  setWasOutage(isOutage);
  if (wasOutage && isCausedByOutage(result)) clear();
}

interface Clearable {
  result: PurchaseResult;
  clear(): void;
}

/** Returns true for a click without a decision, and for one that found the sale paused. */
export function isCausedByOutage(result: PurchaseResult): boolean {
  if (result.kind === 'reply') return result.reply.outcome === 'paused';
  if (result.kind !== 'problem') return false;
  return result.problem.kind === 'unavailable' || result.problem.kind === 'lost';
}
