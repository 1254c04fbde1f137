import { createEventHub, type EventHub, type EventHubOptions, type StreamEvent } from './event-hub';
import { changeKey, type LiveState } from './live-state';

export type LiveHubOptions = Pick<EventHubOptions<LiveState>, 'read' | 'onViewers' | 'log'>;

/** At most four events a second. */
const POLL_MS = 250;

/** Shows everybody the state of the running sale. */
export function createLiveHub(options: LiveHubOptions): EventHub {
  return createEventHub({ ...options, pollMs: POLL_MS, encode: liveEvent });
}

function liveEvent(state: LiveState): StreamEvent {
  return {
    key: changeKey(state),
    bytes: Buffer.from(`event: windows\ndata: ${JSON.stringify(state)}\n\n`),
    alive: Buffer.from(`event: alive\ndata: ${JSON.stringify({ serverNow: state.serverNow })}\n\n`),
  };
}
