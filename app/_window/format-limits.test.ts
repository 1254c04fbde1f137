import { createTranslator } from 'next-intl';
import { expect, test } from 'vitest';
import { locales } from '../_i18n/language';
import { messages } from '../_i18n/messages';
import { formatAddressLimit, formatClaimLimit, formatSaleLimits } from './format-limits';

function translators(locale: 'en' | 'zh') {
  const from = { locale: locales[locale], messages: messages[locale] };
  return {
    limits: createTranslator({ ...from, namespace: 'limits' }),
    duration: createTranslator({ ...from, namespace: 'duration' }),
  };
}

const user = { level: 'user', algorithm: 'sliding-log', limit: 5, windowMs: 10_000 };
const everyone = { level: 'global', algorithm: 'sliding-log', limit: 1_000, windowMs: 10_000 };
const bucket = { ...everyone, algorithm: 'token-bucket' };
const address = { level: 'ip', algorithm: 'sliding-log', limit: 5, windowMs: 1_000 };

test.each([
  [
    'two sliding windows of one length',
    [user, everyone],
    /^Up to 1,000 grabs in any 10\u00a0seconds, 5 tries per shopper\.$/,
  ],
  [
    'a limit of this visitor alone',
    [{ ...user, limit: 20, isPersonal: true }, everyone],
    /^Up to 1,000 grabs in any 10\u00a0seconds, 20 tries for you alone\.$/,
  ],
  [
    'a bucket for everybody',
    [user, bucket],
    /^Up to 1,000 grabs get through at once\. After that, places come back one by one, 1,000 every 10\u00a0s\. You can grab at most 5 times in any 10\u00a0s\.$/,
  ],
  [
    'two lengths',
    [{ ...user, windowMs: 60_000 }, everyone],
    /^At most 1,000 .* in any 10\u00a0s\. You can grab at most 5 times in any minute\.$/,
  ],
  [
    'a window of the clock',
    [{ ...everyone, algorithm: 'fixed-window' }],
    /every 10\u00a0s; then the count resets\.$/,
  ],
  ['a queue', [{ ...everyone, algorithm: 'leaky-bucket' }], /^Grabs wait in a queue of at most 1,000/],
  ['no enforced level', [], /^No limit applies right now\.$/],
])('the sale describes %s', (_case, levels, text) => {
  expect(formatSaleLimits(translators('en'), levels)).toMatch(text);
});

test('the Chinese text of a bucket mentions no window', () => {
  const text = formatSaleLimits(translators('zh'), [{ ...user, algorithm: 'token-bucket' }, bucket]);
  expect(text).toBe(
    '最多可同时放行 1,000 次抢购，之后名额逐个恢复，每 10\u00a0秒恢复 1,000 个。您最多可连续抢 5 次，之后逐次恢复，每 10\u00a0秒恢复 5 次。',
  );
  expect(text).not.toContain('任意');
});

test('the merchants page states the limit of an address', () => {
  expect(formatAddressLimit(translators('en'), [address])).toContain(
    'At most 5 searches from one internet connection in any second',
  );
  expect(formatAddressLimit(translators('en'), [{ ...address, algorithm: 'token-bucket' }])).toContain(
    'Up to 5 searches from one internet connection at once. After that, they come back one by one, 5 every second.',
  );
  expect(formatAddressLimit(translators('zh'), [address])).toBe('同一网络在任意一秒内最多查询 5 次。');
});

test('the claim coupons state the limit of a shopper, if there is one', () => {
  const levels = [{ ...user, limit: 4, windowMs: 60_000 }];
  expect(formatClaimLimit(translators('en'), levels)).toBe(
    'Unlimited stock. Each shopper can claim 4 per minute.',
  );
  expect(formatClaimLimit(translators('zh'), levels)).toBe('不限库存，每人每分钟最多领 4 张。');
  expect(formatClaimLimit(translators('en'), [{ ...user, isPersonal: true, windowMs: 60_000 }])).toBe(
    'Unlimited stock. You can claim 5 per minute.',
  );
  expect(formatClaimLimit(translators('en'), [])).toBe('Unlimited stock.');
});
