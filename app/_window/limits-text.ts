import type { useTranslations } from 'next-intl';
import type { PolicyLevel } from '../../server/http/page-requests';
import { lengthText } from '../_i18n/length-text';
import { countingOf } from './counting';

interface Translators {
  limits: ReturnType<typeof useTranslations<'limits'>>;
  duration: ReturnType<typeof useTranslations<'duration'>>;
}

/** Returns what the limits of the sale admit: one sentence for everyone and the visitor where both slide alike, else two. */
export function saleLimitsText({ limits, duration }: Translators, levels: readonly PolicyLevel[]): string {
  const everyone = levels.find(({ level }) => level === 'global');
  const own = levels.find(({ level }) => level === 'user');
  if (everyone && own && isSlidingAlike(everyone, own)) {
    const window = lengthText(duration, everyone.windowMs);
    return limits('shared', { window, limit: everyone.limit, own: own.limit });
  }
  const everyoneText = everyone && levelText({ limits, duration }, 'global', everyone);
  const ownText = own && levelText({ limits, duration }, 'user', own);
  if (everyoneText && ownText) return limits('both', { everyone: everyoneText, own: ownText });
  return everyoneText ?? ownText ?? limits('none');
}

/** Returns what the limit of a visitor's address admits. */
export function addressLimitText(translators: Translators, levels: readonly PolicyLevel[]): string {
  const own = levels.find(({ level }) => level === 'ip');
  return own ? levelText(translators, 'ip', own) : translators.limits('none');
}

function levelText(
  { limits, duration }: Translators,
  name: 'global' | 'user' | 'ip',
  level: PolicyLevel,
): string {
  const values = { limit: level.limit, window: lengthText(duration, level.windowMs) };
  return limits(`${name}.${countingOf(level)}`, values);
}

function isSlidingAlike(one: PolicyLevel, other: PolicyLevel): boolean {
  return [one, other].every((level) => countingOf(level) === 'sliding') && one.windowMs === other.windowMs;
}
