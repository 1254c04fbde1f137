import type { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import { formatCount } from '../_i18n/numbers';
import { formatPeriod } from '../_i18n/use-durations';
import { countingOf } from './window-count';

interface Translators {
  limits: ReturnType<typeof useTranslations<'limits'>>;
  duration: ReturnType<typeof useTranslations<'duration'>>;
}

/** Describes the limits of the sale: one sentence if both levels have the same sliding window, else two. */
export function formatSaleLimits({ limits, duration }: Translators, levels: readonly PolicyLevel[]): string {
  const everyone = levels.find(({ level }) => level === 'global');
  const own = levels.find(({ level }) => level === 'user');
  if (everyone && own && haveSameSlidingWindow(everyone, own)) {
    const seconds = everyone.windowMs / 1_000;
    const isShort = seconds % 1 === 0 && seconds > 1 && seconds < 60;
    const window = isShort
      ? duration('period', { length: duration('spelledSeconds', { count: seconds }) })
      : formatPeriod(duration, everyone.windowMs);
    return limits(own.isPersonal ? 'sharedPersonal' : 'shared', {
      window,
      limit: formatCount(everyone.limit),
      own: formatCount(own.limit),
    });
  }
  const everyoneText = everyone && formatLevel({ limits, duration }, 'global', everyone);
  const ownText = own && formatLevel({ limits, duration }, 'user', own);
  if (everyoneText && ownText) return limits('both', { everyone: everyoneText, own: ownText });
  return everyoneText ?? ownText ?? limits('none');
}

/** Describes the claim coupons with the limit of a shopper. */
export function formatClaimLimit({ limits, duration }: Translators, levels: readonly PolicyLevel[]): string {
  const own = levels.find(({ level }) => level === 'user');
  if (!own) return limits('claimsUnlimited');
  return limits(own.isPersonal ? 'claimsPersonal' : 'claims', {
    limit: formatCount(own.limit),
    window: formatPeriod(duration, own.windowMs),
  });
}

/** Describes the limit of a visitor's address. */
export function formatAddressLimit(translators: Translators, levels: readonly PolicyLevel[]): string {
  const own = levels.find(({ level }) => level === 'ip');
  return own ? formatLevel(translators, 'ip', own) : translators.limits('none');
}

function formatLevel(
  { limits, duration }: Translators,
  name: 'global' | 'user' | 'ip',
  level: PolicyLevel,
): string {
  const values = { limit: formatCount(level.limit), window: formatPeriod(duration, level.windowMs) };
  return limits(`${name}.${countingOf(level)}`, values);
}

function haveSameSlidingWindow(one: PolicyLevel, other: PolicyLevel): boolean {
  return [one, other].every((level) => countingOf(level) === 'sliding') && one.windowMs === other.windowMs;
}
