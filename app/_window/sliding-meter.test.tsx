import { NextIntlClientProvider } from 'next-intl';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { locales } from '../_i18n/language';
import { messages } from '../_i18n/messages';
import { LiveProvider } from '../_live/live-provider';
import { ApiProvider } from '../_trpc/client';
import { KnownMeter } from './sliding-meter';

const level = { policy: 'p', level: 'global' };
const now = 1_000_000;

interface Options {
  used?: number;
  freeInMs?: number;
  mode?: string;
  windowMs?: number;
  waiting?: number;
  isCountUnknown?: boolean;
}

/** Returns the text of a meter without its drawing. */
function wordsOf(
  locale: 'en' | 'zh',
  algorithm: string,
  { used = 3, freeInMs, mode = 'enforce', windowMs = 10_000, waiting = 0, isCountUnknown = false }: Options,
) {
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale={locales[locale]} messages={messages[locale]} timeZone="UTC">
      <ApiProvider>
        <LiveProvider>
          <KnownMeter
            whose="You"
            of="other"
            window={{ ...level, limit: 5, windowMs, used, hits: [], algorithm, mode }}
            count={{ now, used, free: freeInMs === undefined ? undefined : now + freeInMs }}
            queue={{ ...level, waiting, nextTurnAt: null, lastTurnAt: null, version: 1 }}
            isCountUnknown={isCountUnknown}
          />
        </LiveProvider>
      </ApiProvider>
    </NextIntlClientProvider>,
  );
  const spoken = /aria-valuetext="([^"]*)"/.exec(html)?.[1];
  return {
    shown: html
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/[ \n]+/g, ' ')
      .trim(),
    spoken,
  };
}

test('a sliding window is described by its last seconds', () => {
  expect(wordsOf('en', 'sliding-log', {})).toEqual({
    shown: 'You 3 / 5 per 10\u00a0s 10\u00a0s ago now Room for 2 more',
    spoken: 'You: 3 of 5 in the last 10\u00a0s',
  });
});

test('an unknown count is a dash next to the limit', () => {
  const { shown, spoken } = wordsOf('en', 'sliding-log', { used: 0, isCountUnknown: true });
  expect(shown).toContain('You – / 5 per 10\u00a0s');
  expect(spoken).toBe('You: count unknown, limit 5');
});

test('a token bucket is described by used tries and their return', () => {
  expect(wordsOf('en', 'token-bucket', {})).toEqual({
    shown: 'You 3 / 5 used 5 come back every 10\u00a0s, one by one Room for 2 more',
    spoken: 'You: 3 of 5 tries used, 5 come back every 10\u00a0s',
  });
  expect(wordsOf('en', 'token-bucket', { used: 5, freeInMs: 1_900 }).shown).toContain(
    'All used: next try in 2\u00a0s',
  );
  expect(wordsOf('zh', 'token-bucket', { used: 5, freeInMs: 1_900 })).toEqual({
    shown: 'You 5 / 5 已用 每 10\u00a0秒匀速恢复 5 次 已用完：2\u00a0秒后恢复一次',
    spoken: 'You：5 次机会已用 5 次，每 10\u00a0秒恢复 5 次',
  });
});

test.each([
  [8_990, '9\u00a0s'],
  [9_010, '10\u00a0s'],
  [10, '1\u00a0s'],
  [0, '1\u00a0s'],
  [71_500, '1\u00a0min\u00a012\u00a0s'],
  [3_600_000, '1\u00a0h\u00a00\u00a0min'],
])('a wait of %i ms is shown in whole seconds like on a button: %s', (freeInMs, words) => {
  expect(wordsOf('en', 'sliding-log', { used: 5, freeInMs }).shown).toContain(`Full: next try in ${words}`);
});

test('the axis of a queue has the format of a turn', () => {
  // 0.6 of two minutes.
  expect(wordsOf('en', 'sliding-log', { windowMs: 120_000, waiting: 3 }).shown).toContain(
    'now in 1\u00a0min\u00a012\u00a0s',
  );
});

test.each([
  ['leaky-bucket', 'in the queue'],
  ['fixed-window', 'in the current 10\u00a0s'],
  ['sliding-counter', 'per 10\u00a0s'],
  ['an algorithm that came later', 'per 10\u00a0s'],
])('%s: %s', (algorithm, words) => {
  expect(wordsOf('en', algorithm, {}).shown).toContain(`3 / 5 ${words}`);
});

test.each(['shadow', 'off'])(
  'the meter of a level in mode %s says that the limit is not enforced',
  (mode) => {
    expect(wordsOf('en', 'sliding-log', { used: 7, mode })).toEqual({
      shown: 'You 7 / 5 per 10\u00a0s 10\u00a0s ago now Not enforced right now',
      spoken: 'You: 7 of 5 in the last 10\u00a0s, not enforced',
    });
    expect(wordsOf('zh', 'sliding-log', { mode }).shown).toContain('当前不限次数');
  },
);
