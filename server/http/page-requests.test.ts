import { TRPCError } from '@trpc/server';
import { afterEach, expect, test, vi } from 'vitest';
import { createTestContext } from '../../test/context';
import { refusalError } from '../limiter/adapters/trpc';
import type { Refused } from '../limiter/index';
import {
  createPageRequests,
  type PageRequestStore,
  type PageRequests,
  type RunningRequest,
} from './page-requests';

const publicOrigin = 'https://sale.example.com';
const logRefusal = vi.fn();
const stores: PageRequestStore[] = [];
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});

test('each page reads its own request while pages render concurrently', async () => {
  const store = seam();
  const page = async (name: string) => {
    await Promise.resolve();
    return { caller: running().caller(), request: running().request(), name };
  };
  const [ann, bo] = await Promise.all([
    store.run(
      request({ context: createTestContext({ ip: '203.0.113.1', language: 'zh' }), nonce: 'n1' }),
      () => page('ann'),
    ),
    store.run(
      request({ context: createTestContext({ ip: '203.0.113.2', language: 'en' }), nonce: 'n2' }),
      () => page('bo'),
    ),
  ]);
  expect(ann).toMatchObject({ caller: 'called from 203.0.113.1', request: { nonce: 'n1', language: 'zh' } });
  expect(bo).toMatchObject({ caller: 'called from 203.0.113.2', request: { nonce: 'n2', language: 'en' } });
});

test('a page reads the visitor, demo mode and the public origin', () => {
  const user = { id: 'u1', name: 'Ann', role: 'shopper' } as const;
  const answer = seam().run(request({ context: createTestContext({ user }) }), () => running().request());
  expect(answer).toEqual({ language: 'en', nonce: 'n', user, demo: true, publicOrigin });
});

test('a page sets the status of its own request only', () => {
  const store = seam();
  const onStatus = { ann: vi.fn(), bo: vi.fn() };
  store.run(request({ onStatus: onStatus.ann }), () => running().setStatus(503));
  store.run(request({ onStatus: onStatus.bo }), () => running().request());
  expect(onStatus.ann).toHaveBeenCalledExactlyOnceWith(503);
  expect(onStatus.bo).not.toHaveBeenCalled();
});

test('a refusal of a page’s call sets 429 and is logged, any other error is not', () => {
  const refused: Refused = {
    ...{ allowed: false, policy: 'coupon.read', now: 0, levels: [], shadowRefusals: [], degraded: false },
    reason: 'limited',
    retryAfterMs: 2_345,
    refusedBy: {
      ...{ level: 'ip', algorithm: 'sliding-log', limit: 300, windowMs: 60_000, used: 300, remaining: 0 },
      ...{ resetMs: 60_000, retryAfterMs: 2_345 },
    },
  };
  const error = refusalError({ levels: [], message: { en: 'Wait a moment.' } }, 'en', refused);
  const onStatus = vi.fn();
  seam().run(request({ onStatus }), () => {
    expect(running().handleRefusal(new TRPCError({ code: 'NOT_FOUND' }))).toBeUndefined();
    expect(running().handleRefusal(new Error('a bug'))).toBeUndefined();
    expect(onStatus).not.toHaveBeenCalled();
    expect(running().handleRefusal(error)).toEqual({ message: 'Wait a moment.', retryAfterMs: 2_345 });
  });
  expect(onStatus).toHaveBeenCalledExactlyOnceWith(429, { retryAfterMs: 2_345 });
  expect(logRefusal).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ policy: 'coupon.read' }));
});

test('outside of a page there is no caller', () => {
  seam();
  expect(() => running().caller()).toThrow(/No page is being rendered/);
});

test('a listener that closes removes only its own interface', () => {
  const first = seam();
  seam();
  first.close();
  expect(Reflect.get(globalThis, Symbol.for('floodgate'))).toBeDefined();
});

function seam(): PageRequestStore {
  const store = createPageRequests({
    demo: true,
    publicOrigin,
    createCaller: ({ ip }) => `called from ${ip}`,
    listEnforcedLevels: () => [],
    merchantExists: async () => true,
    logRefusal,
  });
  stores.push(store);
  return store;
}

function request(given: Partial<RunningRequest> = {}): RunningRequest {
  return { context: createTestContext(), nonce: 'n', onStatus: () => undefined, ...given };
}

function running(): PageRequests<string> {
  return Reflect.get(globalThis, Symbol.for('floodgate'));
}
