import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../../test/http-server';
import { waitUntil } from '../../../test/wait-until';
import type { Alert } from './rules';
import { createWebhook, signature } from './webhook';

const raised: Alert = {
  ...{ id: 'ledger-lag::7', rule: 'ledger-lag', target: '', raisedAt: 7_000 },
  ...{ highSince: 5_000, values: [13_000], spanMs: 1_000 },
  ...{ value: 13_000, threshold: 12_000, summary: 'The oldest order is 13 s old.' },
};
const cleared: Alert = { ...raised, clearedAt: 9_000, value: 10 };

interface Call {
  body: string;
  signature: string | undefined;
  type: string | undefined;
}

/** A receiver that answers its calls by these statuses, the last one from then on. */
async function receiver(...statuses: [number, ...number[]]) {
  const calls: Call[] = [];
  const { origin } = await startHttpServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const { 'floodgate-signature': signed, 'content-type': type } = req.headers;
    calls.push({ body, signature: signed?.toString(), type });
    const status = statuses[Math.min(calls.length, statuses.length) - 1] ?? 200;
    res.writeHead(status, { location: `${origin}/elsewhere` }).end('received');
  });
  return { origin, calls };
}

function webhookTo(url: string) {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const webhook = createWebhook({
    ...{ url, secret: 'a shared secret', log, now: () => 1_700_000_000_500 },
    ...{ firstWaitMs: 1, timeoutMs: 1_000 },
  });
  onTestFinished(() => webhook.stop());
  return { webhook, lines };
}

test('a delivery is signed with its instant, so that a receiver can verify the sender', async () => {
  const { origin, calls } = await receiver(204);
  webhookTo(origin).webhook.send(raised);
  await waitUntil(() => calls.length === 1);
  const [call] = calls;
  expect(call?.type).toBe('application/json');
  expect(JSON.parse(call?.body ?? '')).toEqual({
    ...{ id: 'ledger-lag::7', rule: 'ledger-lag', target: '', state: 'raised', at: 7_000 },
    ...{ value: 13_000, threshold: 12_000, summary: 'The oldest order is 13 s old.' },
  });
  // The check of a receiver, as in docs/runbook.md.
  const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(call?.signature ?? '') ?? [];
  const expected = createHmac('sha256', 'a shared secret').update(`${at}.${call?.body}`).digest('hex');
  expect([at, mac]).toEqual(['1700000000', expected]);
});

test('a receiver that fails twice and then accepts gets each alert, in order', async () => {
  const { origin, calls } = await receiver(500, 503, 200);
  const { webhook } = webhookTo(origin);
  webhook.send(raised);
  webhook.send(cleared);
  await waitUntil(() => calls.length === 4);
  expect(calls.map(({ body }) => JSON.parse(body).state)).toEqual(['raised', 'raised', 'raised', 'cleared']);
  expect(new Set(calls.slice(0, 3).map(({ body }) => body)).size).toBe(1);
});

test('a delivery without an answer is given up after eight attempts, and the next alert is sent', async () => {
  const { origin, calls } = await receiver(500);
  const { webhook, lines } = webhookTo(origin);
  webhook.send(raised);
  webhook.send(cleared);
  await waitUntil(() => calls.length === 16);
  expect(calls.slice(8).every(({ body }) => JSON.parse(body).state === 'cleared')).toBe(true);
  await waitUntil(() => lines.filter((line) => line.includes('was not delivered')).length === 2);
});

test.each([400, 401, 404, 410])('an answer of %d is final', async (status) => {
  const { origin, calls } = await receiver(status);
  const { webhook, lines } = webhookTo(origin);
  webhook.send(raised);
  await waitUntil(() => lines.some((line) => line.includes('was not delivered')));
  expect(calls).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  const { origin, calls } = await receiver(307);
  const { webhook, lines } = webhookTo(origin);
  webhook.send(raised);
  await waitUntil(() => lines.some((line) => line.includes('was not delivered')));
  expect(calls).toHaveLength(1);
});

test('a receiver that never answers delays no caller, and stop aborts the delivery', async () => {
  let received = 0;
  const { origin } = await startHttpServer(() => {
    received += 1;
  });
  const { webhook, lines } = webhookTo(origin);
  webhook.send(raised);
  await waitUntil(() => received === 2);
  await webhook.stop();
  webhook.send(cleared);
  expect(lines.filter((line) => line.includes('was not delivered'))).toHaveLength(1);
});

test('neither the URL nor the secret is in the log', async () => {
  const { webhook, lines } = webhookTo('http://127.0.0.1:9/token-in-the-path');
  webhook.send(raised);
  await waitUntil(() => lines.some((line) => line.includes('was not delivered')));
  expect(lines.join()).not.toMatch(/token-in-the-path|a shared secret/);
});

test('a signature covers the instant and the body', () => {
  const secret = 'secret';
  const one = signature({ body: '{}', secret, at: 1 });
  expect(one).not.toBe(signature({ body: '{}', secret, at: 2 }));
  expect(one).not.toBe(signature({ body: '{ }', secret, at: 1 }));
});
