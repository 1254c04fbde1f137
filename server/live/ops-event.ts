import type { OpsState } from './ops-state';

/** Minimum time between two events of the stream. */
export const OPS_EVENT_MS = 1_000;

/** Each event repeats the last seconds, so that a page that missed an event has no gap. */
const RESENT_SECONDS = 10;

/** Encodes a state of the fleet for the ops stream. The first event of a stream has the whole history. */
export function encodeOpsState(state: OpsState): {
  key: string;
  bytes: Buffer;
  first: () => Buffer;
  alive: Buffer;
} {
  const recent = { ...state, history: state.history.slice(-RESENT_SECONDS) };
  return {
    key: changeKey(recent),
    bytes: eventText('ops', recent),
    first: () => eventText('ops', state),
    alive: eventText('alive', { serverNow: state.serverNow }),
  };
}

/** Returns a key that changes with the state. Time, and the detail of a passing check, do not change it. */
function changeKey({ serverNow: _now, windows, health, ...rest }: OpsState): string {
  const failing = Object.entries(health).map(([name, { ok, detail }]) => [name, ok || detail]);
  return JSON.stringify([windows.map((window) => ({ ...window, retryAfterMs: 0 })), failing, rest]);
}

function eventText(event: string, data: unknown): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
