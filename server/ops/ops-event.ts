import type { OpsState } from './ops-state';

/** The least time between two events of the stream. */
export const OPS_EVENT_MS = 1_000;

/** An event tells of so many seconds again, so that a page that missed some has them all. */
const SECONDS_TOLD_AGAIN = 10;

/** A state of the fleet as the ops stream tells it: all of its history to whoever has just come. */
export function opsEvent(state: OpsState): {
  key: string;
  bytes: Buffer;
  first: () => Buffer;
  alive: Buffer;
} {
  const recent = { ...state, history: state.history.slice(-SECONDS_TOLD_AGAIN) };
  return {
    key: changeKey(recent),
    bytes: eventText('ops', recent),
    first: () => eventText('ops', state),
    alive: eventText('alive', { serverNow: state.serverNow }),
  };
}

/** Time alone is no change, nor is how well a thing is that is well. */
function changeKey({ serverNow: _now, windows, health, ...rest }: OpsState): string {
  const failing = Object.entries(health).map(([name, { ok, detail }]) => [name, ok || detail]);
  return JSON.stringify([windows.map((window) => ({ ...window, retryAfterMs: 0 })), failing, rest]);
}

function eventText(event: string, data: unknown): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
