import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import layout from '../_components/ui/layout.module.css';
import { Badge } from '../_components/ui/status';
import { useDurations } from '../_i18n/use-durations';
import { levelKey } from '../_live/level-key';
import { findOutageKind, useIsOutage } from './health';
import { useOpsFeed } from './live/ops-feed-provider';
import styles from './ops.module.css';
import type { Level, Policy } from './types';

interface LevelLabelProps {
  policy: string;
  level: string;
  /** The row before it is of the same policy, whose names only screen readers repeat. Default: false. */
  isJoined?: boolean;
}

/** Shows a level: the names of the policy and the level, and the policy's code name, which logs and metrics use. */
export function LevelLabel({ policy, level, isJoined = false }: LevelLabelProps) {
  const levelName = useLevelName();
  const name = usePolicyName()(policy);
  return (
    <span className={styles.name}>
      {name !== policy && <span className={isJoined ? layout.visuallyHidden : styles.policy}>{name} </span>}
      <span className={layout.words2}>
        <code className={isJoined ? layout.visuallyHidden : styles.code}>{policy}</code>
        <span className={styles.level}>{levelName(level)}</span>
      </span>
    </span>
  );
}

/** Shows the name of a policy, and its code name unless that is its only name. */
export function PolicyLabel({ policy }: { policy: string }) {
  const name = usePolicyName()(policy);
  return (
    <span className={styles.policy}>
      {name !== policy && <>{name} </>}
      <code className={styles.code}>{policy}</code>
    </span>
  );
}

/** Shows the mode of a level; only the exceptions are marked. Needs the namespace `ops`. */
export function ModeBadge({ mode }: { mode: string }) {
  const t = useTranslations('ops.mode');
  if (mode === 'shadow') return <Badge tone="wait">{t('shadow')}</Badge>;
  if (mode === 'off') return <Badge>{t('off')}</Badge>;
  if (mode === 'block') return <Badge tone="fail">{t('block')}</Badge>;
  return <span className={layout.soft}>{t('enforce')}</span>;
}

/**
 * Shows the effective mode of a level. Without Redis, no mode is in effect: shows what the level does instead. Needs the
 * namespace `ops`.
 */
export function LevelMode({ policy, level }: { policy: string; level: Level }) {
  const t = useTranslations('ops.outage');
  const mode = useLevelWindow(policy, level)?.mode ?? level.mode;
  const isOutage = useIsOutage();
  const kind = isOutage && findOutageKind(level);
  return kind ? t(kind) : <ModeBadge mode={mode} />;
}

/**
 * Shows that nodes take the units of a level in batches, for how long, and how many they have not spent. Nothing for a level
 * that is not leased. Needs the namespaces `ops` and `duration`.
 */
export function LevelLease({ policy, level: { level, lease } }: { policy: string; level: Level }) {
  const t = useTranslations('ops.lease');
  const { length } = useDurations();
  const key = levelKey({ policy, level });
  const idle = useOpsFeed(({ event }) => event?.leased.find((one) => levelKey(one) === key)?.idle);
  if (!lease) return null;
  return (
    <span className={layout.words2}>
      <Badge>{t('badge', { time: length(lease.forMs) })}</Badge>
      {idle !== undefined && <span className={layout.hint}>{t('idle', { count: idle })}</span>}
    </span>
  );
}

/** Returns the window of a level in the newest event. */
export function useLevelWindow(policy: string, { level }: Level) {
  const key = levelKey({ policy, level });
  return useOpsFeed(({ event }) => event?.windows.find((one) => levelKey(one) === key));
}

/** Returns true if the effective limit differs from the declared one. `window` is newer than the level. */
export function isOverridden(
  { declared, effective }: Pick<Level, 'declared' | 'effective'>,
  window: { limit: number; windowMs: number } | undefined,
): boolean {
  const { limit, windowMs } = window ?? effective;
  return limit !== declared.limit || windowMs !== declared.windowMs;
}

/** The messages of the policies' names. A policy without one is shown by its code name. */
export const policyMessages = {
  'auth.signInDemo': 'signInDemo',
  'auth.sendCode': 'sendCode',
  'auth.verifyCode': 'verifyCode',
  'coupon.read': 'couponRead',
  'own.read': 'ownRead',
  'coupon.seckill': 'seckill',
  'coupon.claim': 'claim',
  'order.change': 'orderChange',
  'order.pay': 'orderPay',
  merchant: 'merchant',
  'demo.crowd': 'crowd',
  lab: 'lab',
  'lab.tap': 'labTap',
} as const;

/** Returns a function that translates policy names; an unknown policy keeps its code name. Needs the namespace `ops`. */
export function usePolicyName(): (policy: string) => string {
  const t = useTranslations('ops.policy');
  return useCallback((policy) => (isKnownPolicy(policy) ? t(policyMessages[policy]) : policy), [t]);
}

function isKnownPolicy(policy: string): policy is keyof typeof policyMessages {
  return Object.hasOwn(policyMessages, policy);
}

const knownLevels = [
  'global',
  'user',
  'ip',
  'email',
  'email+ip',
  'email-daily',
  'ip-daily',
  'mails',
  'order',
] as const;

/** Returns a function that translates level names; an unknown level keeps its own name. Needs the namespace `ops`. */
export function useLevelName(): (level: string) => string {
  const t = useTranslations('ops.level');
  return function levelName(level) {
    const name = knownLevels.find((one) => one === level);
    return name ? t(name) : level;
  };
}

/** Sorts the levels of a policy: that of all callers first, the others as declared. */
export function sortLevels(levels: readonly Level[]): Level[] {
  const isShared = ({ level }: Level) => Number(level === 'global');
  return levels.toSorted((one, other) => isShared(other) - isShared(one));
}

/** Sorts policies with a global level first, because a flood fills it first. */
export function sortSharedFirst(policies: readonly Policy[]): Policy[] {
  const isShared = ({ levels }: Policy) => levels.some(({ level }) => level === 'global');
  return policies.toSorted((one, other) => Number(isShared(other)) - Number(isShared(one)));
}
