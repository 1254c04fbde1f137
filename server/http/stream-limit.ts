import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DecidingLimiter } from '../limiter/adapters/trpc';
import {
  type ClientAddress,
  holdLease,
  onRequestEnd,
  rateLimitHeaders,
  resolvePolicy,
} from '../limiter/index';
import { createLiveStreamPolicy } from '../policies';

/** Limits the open streams of each address. */
export interface StreamLimit {
  /**
   * Takes a slot until the answer closes. Returns the retry time, in ms, if the address has no free slot; null for a
   * blocked level, which operators cannot make of this one: its policy is not in their list.
   */
  admit(req: IncomingMessage, res: ServerResponse): Promise<number | null | undefined>;
}

/** Retry time for an address at the limit of this node. A slot becomes free when one of its streams ends. */
const RETRY_AFTER_MS = 10_000;

/**
 * Limits the open streams per client address to `maxPerAddress`: on this node in memory, and on all nodes by leases in
 * the store, which are renewed while a stream is open. While the store is down, this node alone counts. A stream whose
 * lease has ended during an outage stays open.
 */
export function createStreamLimit({
  limiter,
  clientAddress,
  maxPerAddress,
}: {
  limiter: Pick<DecidingLimiter, 'decide' | 'release' | 'renew'>;
  clientAddress: ClientAddress;
  maxPerAddress: number;
}): StreamLimit {
  const open = new Map<string, number>();
  const declared = createLiveStreamPolicy(maxPerAddress);
  const policy = declared && resolvePolicy(declared, declared.name);

  function closeOne(address: string): void {
    const count = (open.get(address) ?? 0) - 1;
    if (count > 0) open.set(address, count);
    else open.delete(address);
  }

  return {
    async admit(req, res) {
      const address = clientAddress(req);
      const count = open.get(address) ?? 0;
      if (count >= maxPerAddress) return RETRY_AFTER_MS;
      open.set(address, count + 1);
      onRequestEnd(req, res, () => closeOne(address));
      if (!policy) return undefined;

      const decision = await limiter.decide(policy, { subjects: { ip: address } });
      for (const [name, value] of Object.entries(rateLimitHeaders([decision]))) res.setHeader(name, value);
      if (!decision.allowed) return decision.refusedBy.retryAfterMs;
      const release = decision.lease && holdLease(limiter, decision.lease);
      // At once if the viewer has left before the decision.
      if (release) onRequestEnd(req, res, release);
      return undefined;
    },
  };
}
