import type { Context } from '../../trpc/context';

/** A context for tests that decide nothing: its limiter fails when it is asked. */
export function contextOf(fields: Partial<Context> = {}): Context {
  const { user = null, ip = '203.0.113.7', language = 'en' } = fields;
  const unexpected = () => Promise.reject(new Error('this test asks no limiter'));
  return {
    user,
    ip,
    language,
    startedAt: performance.now(),
    setSession: () => undefined,
    rateLimit: {
      limiter: { decide: unexpected, peek: unexpected },
      caller: { user: user?.id, ip },
      language,
      decisions: [],
    },
    ...fields,
  };
}
