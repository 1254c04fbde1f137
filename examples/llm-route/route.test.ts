import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { app, budget, limiter } from './route.js';

const server = app.listen(0, '127.0.0.1');
before(() => once(server, 'listening'));
after(async () => {
  server.closeAllConnections();
  server.close();
  await limiter.close();
});

const call = (tenant: string, prompt: string, signal?: AbortSignal) => {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/complete?prompt=${encodeURIComponent(prompt)}`;
  return fetch(url, { headers: { 'x-tenant': tenant }, ...(signal && { signal }) });
};

/** Returns the tokens of a tenant when no call is unsettled: a reservation has more than 4,000. */
async function tokensOf(tenant: string): Promise<number> {
  for (;;) {
    const { windows } = await limiter.peek(budget, { tenant });
    const used = windows[0]?.used ?? 0;
    if (used < 4_000) return used;
  }
}

test('30 streams reserve 4,002 tokens each, keep 4, and are all admitted', async () => {
  for (let stream = 0; stream < 30; stream += 1) {
    const response = await call('acme', 'one two');
    assert.equal(response.status, 200);
    assert.equal(await response.text(), 'one two');
    // 2 tokens of the prompt and 2 of the answer
    assert.equal(await tokensOf('acme'), 4 * (stream + 1));
  }
});

test('of 30 streams at once, the budget has room for 24 reservations', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => call('busy', 'word '.repeat(100))));
  assert.equal(answers.filter(({ status }) => status === 200).length, 24);
  const refused = answers.find(({ status }) => status === 429);
  assert.ok(Number(refused?.headers.get('retry-after')) >= 1);
  await Promise.all(answers.map((answer) => answer.text()));
});

test('a caller who leaves pays for the tokens that were produced', async () => {
  const caller = new AbortController();
  const response = await call('gone', 'word '.repeat(1_000), caller.signal);
  const { value = new Uint8Array() } = (await response.body?.getReader().read()) ?? {};
  assert.match(new TextDecoder().decode(value), /^word /);
  caller.abort();
  const tokens = await tokensOf('gone');
  // 1,250 tokens of the prompt, some of the answer, but not its 1,000
  assert.ok(tokens > 1_250 && tokens < 1_500, `${tokens} tokens`);
});
