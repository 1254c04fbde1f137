import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startHttpServer } from '../../test/http-server';
import { createSharedStream, type StreamMessage } from './event-stream';

class FakeEventSource extends EventTarget {
  static CLOSED = 2;
  readyState = 1;
  constructor() {
    super();
    sources.push(this);
  }
  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }
  /** Ends the connection. A browser closes it if the server has answered with an error, else it connects again. */
  fail({ isAnswered }: { isAnswered: boolean }): void {
    this.readyState = isAnswered ? FakeEventSource.CLOSED : 0;
    this.dispatchEvent(new Event('error'));
  }
}
const sources: FakeEventSource[] = [];

beforeEach(() => {
  sources.length = 0;
  let isHeld = false;
  const request = async (_name: string, _options: object, connect: () => Promise<void>) => {
    if (isHeld) return;
    isHeld = true;
    await connect();
  };
  vi.stubGlobal('navigator', { locks: { request } });
  vi.stubGlobal('EventSource', FakeEventSource);
});
afterEach(() => vi.unstubAllGlobals());

/** Opens a stream, like a tab of the browser. Returns its messages. */
function openTab(url = '/api/live'): StreamMessage[] {
  const received: StreamMessage[] = [];
  const stream = createSharedStream(
    { name: url, url: () => url, stateEvent: 'windows', isComplete: (data) => data.includes('all') },
    (message) => received.push(message),
  );
  stream.open();
  onTestFinished(() => stream.close());
  return received;
}

const kindsOf = (messages: StreamMessage[]) => messages.map(({ kind }) => kind);

test('a tab that opens after an outage does not receive its `stale` message', async () => {
  const owner = openTab();
  for (const kind of ['windows', 'stale', 'alive'])
    sources[0]?.dispatchEvent(new MessageEvent(kind, { data: '{}' }));
  expect(kindsOf(owner)).toEqual(['state', 'stale', 'alive']);
  const other = openTab();
  await expect.poll(() => kindsOf(other)).toContain('alive');
  expect(kindsOf(other)).toEqual(['state', 'alive']);
});

test('a tab that joins receives the last complete state, then the last one', async () => {
  openTab();
  for (const data of ['all 1', 'part 2', 'all 3', 'part 4', 'part 5'])
    sources[0]?.dispatchEvent(new MessageEvent('windows', { data }));
  const other = openTab();
  await expect.poll(() => other).toMatchObject([{ data: 'all 3' }, { data: 'part 5' }]);
});

test('a lost connection is closed, so that the browser does not connect again every second', async () => {
  const received = openTab();
  sources[0]?.fail({ isAnswered: false });
  await expect.poll(() => received).toEqual([{ kind: 'lost', retryAfterMs: 0 }]);
  expect(sources[0]?.readyState).toBe(FakeEventSource.CLOSED);
});

test.each([
  [401, {}, { kind: 'refused' }],
  [403, {}, { kind: 'refused' }],
  [429, { 'retry-after': '10' }, { kind: 'lost', retryAfterMs: 10_000 }],
  [503, {}, { kind: 'lost', retryAfterMs: 0 }],
])('the answer %i %o ends the stream of all tabs as %o', async (status, headers, end) => {
  const { port } = await startHttpServer((_req, res) => void res.writeHead(status, headers).end());
  const url = `http://127.0.0.1:${port}/api/live`;
  const [owner, other] = [openTab(url), openTab(url)];
  sources[0]?.fail({ isAnswered: true });
  await expect.poll(() => owner).toEqual([end]);
  await expect.poll(() => other).toEqual([end]);
  expect(sources).toHaveLength(1);
});
