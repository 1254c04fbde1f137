import { createEventHub, type EventHub, type EventHubOptions } from './event-hub';
import { encodeOpsState, OPS_EVENT_MS } from './ops-event';
import type { OpsState } from './ops-state';

/**
 * Room for several first events. A first event has the whole history: a few hundred kB today, and 1 MB with half a dozen
 * more policies. Operators are few.
 */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

/** Creates the hub that streams the state of the fleet to operators. */
export function createOpsHub(options: Pick<EventHubOptions<OpsState>, 'read' | 'log'>): EventHub {
  return createEventHub({
    ...options,
    ...{ encode: encodeOpsState, pollMs: OPS_EVENT_MS, maxQueuedBytes: MAX_QUEUED_BYTES },
  });
}
