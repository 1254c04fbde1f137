import { setTimeout as sleep } from 'node:timers/promises';
import { ignoreAbort } from './ignore-abort';

/** The part of a live event that drills read. */
export interface LiveState {
  windows: { policy: string; level: string; hits: number[] }[];
  queues: { policy: string; version: number }[];
}

/** Much shorter than a window, so that no hit is missed. */
const RECONNECT_AFTER_MS = 150;

/** Reads the live stream of a node until `signal` aborts, also after the node was down. */
export async function watchLive(
  url: string,
  { signal, onState }: { signal: AbortSignal; onState: (state: LiveState) => void },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { body } = await fetch(`${url}/api/live`, { signal });
      if (body) await readEvents(body, (data) => onState(JSON.parse(data)));
    } catch (error) {
      // The node is down. The streams of other nodes continue.
      if (!(error instanceof TypeError)) ignoreAbort(error);
    }
    await sleep(RECONNECT_AFTER_MS);
  }
}

/** Calls `onEvent` with the data of each `event: windows`, until the stream ends. */
async function readEvents(body: ReadableStream<Uint8Array>, onEvent: (data: string) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: windows\ndata: (.*)$/.exec(event)?.[1];
      if (data !== undefined) onEvent(data);
    }
  }
}
