import { expect, onTestFinished, test, vi } from 'vitest';
import { startTestListener } from '../../test/listener';

/** Opens a stream as a visitor behind a proxy. */
async function openStream(port: number, address: string) {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const answer = await fetch(`http://127.0.0.1:${port}/api/live`, {
    headers: { 'x-forwarded-for': address },
    signal: abort.signal,
  });
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    close: () => abort.abort(),
  };
}
const capped = () =>
  startTestListener({ env: { TRUSTED_PROXIES: ['127.0.0.1'], LIVE_STREAMS_PER_ADDRESS: 2 } });

test('live streams of one address above the cap are answered 429 with Retry-After; other addresses are not', async () => {
  const { port, lines } = await capped();
  const statuses: number[] = [];
  for (let index = 0; index < 2; index += 1) statuses.push((await openStream(port, '203.0.113.9')).status);
  expect(statuses).toEqual([200, 200]);
  expect(await openStream(port, '203.0.113.9')).toMatchObject({ status: 429, retryAfter: '10' });
  expect(await openStream(port, '203.0.113.10')).toMatchObject({ status: 200 });
  expect(lines.filter((line) => line.includes('"policy":"api.live"'))).toHaveLength(1);
  expect(lines.join()).not.toContain('203.0.113');
});

test('an IPv6 network of 64 bits is one address', async () => {
  const { port } = await capped();
  for (const end of ['1', '2']) await openStream(port, `2001:db8:1:2::${end}`);
  expect((await openStream(port, '2001:db8:1:2::3')).status).toBe(429);
  expect((await openStream(port, '2001:db8:1:3::1')).status).toBe(200);
});

test('a stream that ends frees its slot', async () => {
  const { port } = await capped();
  const first = await openStream(port, '203.0.113.9');
  await openStream(port, '203.0.113.9');
  expect((await openStream(port, '203.0.113.9')).status).toBe(429);
  first.close();
  await vi.waitUntil(async () => (await openStream(port, '203.0.113.9')).status === 200);
});
