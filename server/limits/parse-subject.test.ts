import { expect, test } from 'vitest';
import { policiesOf, rateLimit } from '../limiter/adapters/trpc';
import { policies } from '../policies';
import { publicProcedure, router } from '../trpc/procedures';
import { parseSubject } from './parse-subject';
import { findLevel } from './policy-registry';

const declared = policiesOf(
  router({
    sendCode: publicProcedure.use(rateLimit(policies.sendCode)).mutation(() => 'sent'),
    verifyCode: publicProcedure.use(rateLimit(policies.verifyCode)).mutation(() => 'verified'),
  }),
);
const normalizeAddress = (text: string) => (text === '::ffff:192.0.2.1' ? '192.0.2.1' : undefined);

test.each([
  ['auth.verifyCode', 'email', ' Ada@Example.com', 'ada@example.com'],
  ['auth.verifyCode', 'email-daily', ' Ada@Example.com', 'ada@example.com'],
  ['auth.sendCode', 'ip', '::ffff:192.0.2.1', '192.0.2.1'],
  ['auth.sendCode', 'ip-daily', '::ffff:192.0.2.1', '192.0.2.1'],
  ['auth.sendCode', 'mails', 'all', 'all'],
])('%s:%s counts %j as %j', async (policy, level, text, subject) => {
  const named = findLevel(declared, { policy, level });
  expect(await parseSubject(named, text, { normalizeAddress })).toBe(subject);
});
