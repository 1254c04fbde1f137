import { expect, onTestFinished, test, vi } from 'vitest';
import { createStream, type StreamMessage } from './event-stream';

class FakeEventSource extends EventTarget {
  constructor() {
    super();
    sources.push(this);
  }
  close(): void {
    sources.splice(sources.indexOf(this), 1);
  }
}
const sources: FakeEventSource[] = [];

/** Opens a stream, like a tab of the browser. Returns the kinds of its messages. */
function openTab(): StreamMessage['kind'][] {
  const received: StreamMessage['kind'][] = [];
  const stream = createStream(
    { url: '/api/live', stateEvent: 'windows' },
    { onMessage: ({ kind }) => received.push(kind), onLost: () => undefined },
  );
  stream.open();
  onTestFinished(() => stream.close());
  return received;
}

test('a tab that opens after an outage does not receive its `stale` message', async () => {
  let isHeld = false;
  const request = async (_name: string, _options: object, connect: () => Promise<void>) => {
    if (isHeld) return;
    isHeld = true;
    await connect();
  };
  vi.stubGlobal('navigator', { locks: { request } });
  vi.stubGlobal('EventSource', FakeEventSource);
  onTestFinished(() => void vi.unstubAllGlobals());

  const owner = openTab();
  for (const kind of ['windows', 'stale', 'alive'])
    sources[0]?.dispatchEvent(new MessageEvent(kind, { data: '{}' }));
  expect(owner).toEqual(['state', 'stale', 'alive']);
  const other = openTab();
  await expect.poll(() => other).toContain('alive');
  expect(other).toEqual(['state', 'alive']);
});
