import { useQuery } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import { Dialog } from '../../_components/ui/dialog';
import layout from '../../_components/ui/layout.module.css';
import { Badge, type BadgeTone, Notice, Skeleton } from '../../_components/ui/status';
import { sentenceGap } from '../../_i18n/language';
import { useDurations } from '../../_i18n/use-durations';
import { useServerClock } from '../../_live/live-provider';
import { noMarks } from '../../_live/refusal-marks';
import { useTRPC } from '../../_trpc/client';
import { problemOf } from '../../_trpc/problem';
import { SlidingMeter } from '../../_window/sliding-meter';
import { useWindowCount } from '../../_window/use-window-count';
import { countingOf } from '../../_window/window-count';
import { ClearWindow } from '../clear-window';
import { ClockTime } from '../formats';
import { LevelLabel, useLevelName } from '../levels';
import { ChangeLimitButton } from '../limits/limit-dialog-provider';
import type { Ban, Explanation } from '../types';
import { useRefetchOnChange } from '../use-refetch';
import { type Bans, LiftBan } from './bans-table';
import { type Caller, MaskedCaller, useRefusalSignal } from './callers';
import styles from './users.module.css';

interface Props {
  /** The caller to explain. It stays while the dialog closes. */
  caller: Caller | undefined;
  bans: Bans;
  isOpen: boolean;
  onClose(): void;
  /** Opens the dialog that sets a limit for this caller alone. */
  onLimit(caller: Caller): void;
}

/** Explains why a caller is refused: the limit, the hits in its window, and the next free slot, or the ban. */
export function ExplainDialog({ caller, bans, isOpen, onClose, onLimit }: Props) {
  const t = useTranslations('opsUsers.explain');
  const ban = caller && findBan(bans, caller);
  const isBanned = ban !== undefined && !bans.lifted.includes(ban);
  const title = t.rich(isBanned ? 'titleBlocked' : 'title', {
    who: () => <MaskedCaller subject={caller?.subject ?? ''} />,
  });
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      {caller && <Explained caller={caller} onChangeLimit={onClose} />}
      <div className={classNames(layout.row2, layout.formButtons, styles.actions)}>
        {ban && <LiftBan ban={ban} bans={bans} />}
        {caller && <Button onClick={() => onLimit(caller)}>{t('limit')}</Button>}
        <Button onClick={onClose}>{t('close')}</Button>
      </div>
    </Dialog>
  );
}

/** Returns the ban of a caller by the policy that refused it, if there is one. */
function findBan({ shown }: Bans, { policy, level, ref }: Caller): Ban | undefined {
  return shown.find((ban) => ban.policy === policy && ban.level === level && ban.ref === ref);
}

interface ExplainedProps {
  caller: Caller;
  /** Called when the dialog opens that changes the limit. */
  onChangeLimit(): void;
}

function Explained({ caller: { policy, level, ref, refusedBy, subject }, onChangeLimit }: ExplainedProps) {
  const trpc = useTRPC();
  const { data, error } = useQuery(trpc.ops.explain.queryOptions({ policy, level, ref, refusedBy }));
  useRefetchOnChange({ signal: useRefusalSignal(), queries: [trpc.ops.explain.pathFilter()], settleMs: 500 });
  const refusing = (data?.refusedElsewhere ?? data)?.window.level ?? level;
  const isOwn = refusing === level;
  return (
    <div className={classNames(layout.stack3, styles.explained)}>
      <div className={classNames(layout.line3, layout.apart)}>
        <LevelLabel policy={policy} level={level} />
        {isOwn && <ChangeLimitButton policy={policy} level={level} onOpen={onChangeLimit} />}
      </div>
      {error && <ProblemNote problem={problemOf(error)} here="/ops/who" />}
      {!error && !data && (
        <div className={styles.reserved}>
          <Skeleton shape="panel" />
        </div>
      )}
      {!error && data && (
        <>
          <ExplainedRefusal subject={subject} explanation={data} />
          {!isOwn && (
            <div className={classNames(layout.line3, layout.apart)}>
              <LevelLabel policy={policy} level={refusing} />
              <ChangeLimitButton policy={policy} level={refusing} onOpen={onChangeLimit} />
            </div>
          )}
        </>
      )}
      <ClearWindow
        {...{ policy, level }}
        caller={{ ref, subject }}
        isBlocked={Boolean(data?.punished?.bannedUntil)}
        here="/ops/who"
      />
    </div>
  );
}

/** Shows the window, the reason in a sentence, and the recent calls. */
function ExplainedRefusal({ subject, explanation }: { subject: string; explanation: Explanation }) {
  const t = useTranslations('opsUsers.explain');
  const clock = useServerClock();
  const { window, serverNow, refusedElsewhere, unreadable = [] } = explanation;
  const read = { ...window, readAt: serverNow };
  const isUnreadable = unreadable.includes(window.level);
  const at = explanation.recent.find(({ refusedBy }) => refusedBy === window.level)?.at;

  useEffect(() => clock.observe(serverNow), [clock, serverNow]);

  return (
    <>
      {refusedElsewhere ? (
        <>
          <RefusedElsewhere
            {...refusedElsewhere}
            readAt={serverNow}
            isUnreadable={unreadable.includes(refusedElsewhere.window.level)}
          />
          <p>{t('own')}</p>
        </>
      ) : (
        <RefusalReason window={window} at={at} />
      )}
      <SlidingMeter whose={subject} window={isUnreadable ? undefined : read} unknown={t('unreadable')} />
      {!refusedElsewhere && !isUnreadable && <Since window={read} explanation={explanation} />}
      <Violations explanation={explanation} />
      <RecentCalls recent={explanation.recent} />
    </>
  );
}

interface ReasonProps {
  window: Pick<Explanation['window'], 'level' | 'limit' | 'windowMs' | 'algorithm' | 'mode'>;
  /** The last refusal by this window, epoch ms. */
  at: number | null | undefined;
  /** Another level counts the caller. */
  isElsewhere?: boolean;
}

/** States when a window refused, and why. */
export function RefusalReason({ window, at, isElsewhere }: ReasonProps) {
  const t = useTranslations('opsUsers.explain');
  const { length } = useDurations();
  const level = useLevelName()(window.level);
  if (window.mode === 'block') return <p>{t('held', { level })}</p>;
  const rule = {
    ...{ level, limit: window.limit, window: length(window.windowMs) },
    counting: countingOf(window),
  };
  const name = isElsewhere ? 'elsewhere' : 'refused';
  return <p>{at ? t.rich(`${name}At`, { ...rule, at: () => <ClockTime at={at} /> }) : t(name, rule)}</p>;
}

/** States what has happened to the window since the refusal, as its meter counts it. */
function Since({
  window,
  explanation: { punished, nextSlotAt },
}: {
  window: Explanation['window'] & { readAt: number };
  explanation: Explanation;
}) {
  const t = useTranslations('opsUsers.explain');
  const { used, free } = useWindowCount(window, { refused: noMarks, holdFullMs: 0 });
  if (punished?.bannedUntil || window.mode === 'block') return null;
  if (nextSlotAt === null || free === undefined) return <p>{t(used === 0 ? 'empty' : 'free')}</p>;
  return <p>{t.rich('full', { at: () => <ClockTime at={nextSlotAt} /> })}</p>;
}

/** Shows the violations, the ban, and when both end. Empty for a level that does not punish. */
function Violations({ explanation: { punished, punishment } }: { explanation: Explanation }) {
  const t = useTranslations('opsUsers.explain');
  const gap = sentenceGap(useLocale());
  const { length } = useDurations();
  if (!punished) return null;
  const { violations, warning, bannedUntil } = punished;
  return (
    <Notice tone={bannedUntil ? 'failed' : warning ? 'warning' : 'plain'}>
      {bannedUntil && t.rich('banned', { at: () => <ClockTime at={bannedUntil} /> })}
      {bannedUntil && gap}
      {t('violations', { count: violations })}
      {punishment &&
        gap +
          t('punishment', {
            ...{ lapse: length(punishment.lapseMs), count: punishment.banAt, ban: length(punishment.banMs) },
          })}
    </Notice>
  );
}

/** Shows the window of the level that refused, when another level counts the caller. */
function RefusedElsewhere({
  at,
  window,
  readAt,
  isUnreadable,
}: NonNullable<Explanation['refusedElsewhere']> & { readAt: number; isUnreadable: boolean }) {
  const t = useTranslations('opsUsers.explain');
  const levelName = useLevelName();
  return (
    <>
      <RefusalReason window={window} at={at} isElsewhere />
      <SlidingMeter
        whose={levelName(window.level)}
        window={isUnreadable ? undefined : { ...window, readAt }}
        unknown={t('unreadable')}
      />
    </>
  );
}

type Call = Explanation['recent'][number];

const tones = {
  admitted: 'good',
  replayed: 'good',
  refused: 'wait',
  banned: 'fail',
  degraded: 'wait',
  unavailable: 'wait',
} as const satisfies Record<Call['outcome'], BadgeTone>;

function RecentCalls({ recent }: { recent: Call[] }) {
  const t = useTranslations('opsUsers.explain');
  const levelName = useLevelName();
  if (recent.length === 0) return <p className={layout.soft}>{t('noCalls')}</p>;
  return (
    <div>
      <h3 className={styles.callsTitle}>{t('recent', { count: recent.length })}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must scroll by keyboard, too */}
      <ol className={styles.calls} tabIndex={0} aria-label={t('recent', { count: recent.length })}>
        {recent.map(({ at, outcome, refusedBy }, index) => (
          <li key={keyOf(recent, index)} className={styles.call}>
            <ClockTime at={at} />
            <Badge tone={tones[outcome]}>{t(`outcome.${outcome}`)}</Badge>
            <span className={layout.soft}>{refusedBy && t('by', { level: levelName(refusedBy) })}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/**
 * Returns a key that stays stable while newer calls arrive: the instant, and the number of later calls with the same
 * instant.
 */
function keyOf(recent: readonly Call[], index: number): string {
  const at = recent[index]?.at;
  return `${at}/${recent.findLastIndex((call) => call.at === at) - index}`;
}
