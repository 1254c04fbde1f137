import { createEventHub, type EventHub, type EventHubOptions } from './http/event-hub';
import { OPS_EVENT_MS, opsEvent } from './ops/ops-event';
import type { OpsState } from './ops/ops-state';

/**
 * Several first events: with all its history one is a few hundred kilobytes, and half a dozen policies more would make
 * it a megabyte. Those who look are few.
 */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

/** Shows the state of the fleet to operators. */
export function createOpsHub(options: Pick<EventHubOptions<OpsState>, 'read' | 'log'>): EventHub {
  return createEventHub({
    ...options,
    ...{ encode: opsEvent, pollMs: OPS_EVENT_MS, maxQueuedBytes: MAX_QUEUED_BYTES },
  });
}
