import { type Limiter, type Punished, StoreUnavailableError, type Window } from '../limiter/index';
import type { PolicyRegistry } from '../limits/policy-registry';

export type PeekingLimiter = Pick<Limiter, 'effectivePolicy' | 'peekByPseudonym'>;

interface PeekedLevel {
  /** Epoch ms by Redis's clock; `undefined` if the key is unreadable. */
  now: number | undefined;
  /** Empty if the key is unreadable. */
  window: Window;
  punished: Punished | undefined;
  /** Redis rejects the key, because other software wrote it with another type. */
  isUnreadable: boolean;
}

/** Peeks at a window by the pseudonym of its subject. One key of a wrong type does not fail the reads of the others. */
export async function peekReadable(
  limiter: PeekingLimiter,
  policy: PolicyRegistry[number],
  subject: { level: string; pseudonym: string },
): Promise<PeekedLevel> {
  try {
    return { ...(await limiter.peekByPseudonym(policy, subject)), isUnreadable: false };
  } catch (error) {
    if (!(error instanceof StoreUnavailableError) || error.kind !== 'WRONGTYPE') throw error;
    const window = emptyWindow(limiter, policy, subject.level);
    return { now: undefined, window, punished: undefined, isUnreadable: true };
  }
}

/** Returns an empty window of a level with its effective limit. */
export function emptyWindow(
  limiter: Pick<Limiter, 'effectivePolicy'>,
  policy: PolicyRegistry[number],
  name: string,
): Window {
  const level = limiter.effectivePolicy(policy).levels.find((one) => one.level === name);
  if (!level) throw new RangeError(`"${policy.name}" has no level "${name}"`);
  const { algorithm, limit, windowMs, mode } = level;
  return {
    ...{ policy: policy.name, level: name, algorithm, limit, windowMs, mode },
    ...{ used: 0, remaining: limit, hits: [], retryAfterMs: 0 },
  };
}
