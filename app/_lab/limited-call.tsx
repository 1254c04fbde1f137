import { useMutation } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useRef, useState } from 'react';
import { ProblemNote } from '../_components/problem-note';
import { Progress, ShareProgress } from '../_components/ui/bars';
import { Button } from '../_components/ui/button';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { useDurations } from '../_i18n/use-durations';
import { retryAtOf, stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import { type Problem, problemOf } from '../_trpc/problem';
import styles from './limited-call.module.css';

interface Props {
  call: Pick<LimitedCall<never, unknown>, 'busy' | 'wasCancelled' | 'problem' | 'retryInSeconds' | 'cancel'>;
  /** Button label. */
  label: string;
  /** Icon in front of the label. */
  icon?: LucideIcon;
  onStart(): void;
  /** True if there is nothing to start. */
  closed?: boolean;
  variant?: 'primary' | 'secondary';
  /** Progress, if known. */
  progress?: { done: number; of: number } | undefined;
  /** The shown result is of an earlier run, which is announced. Default: false. */
  isEarlier?: boolean;
  /** Note while no call is running and no error is shown. */
  idle?: ReactNode;
}

/** A start button with progress, cancellation and errors. */
export function CallStatus(props: Props) {
  const {
    call,
    label,
    icon: Icon,
    onStart,
    closed,
    variant = 'secondary',
    progress,
    isEarlier,
    idle,
  } = props;
  const t = useTranslations('lab.call');
  const { wait } = useDurations();
  const { busy, problem, wasCancelled, retryInSeconds } = call;

  function renderNote(): ReactNode {
    if (busy) return null;
    // A cancelled call is no error. The refusal note disappears when the button is enabled again.
    if (wasCancelled) return <Notice>{t('cancelled')}</Notice>;
    if (problem && (problem.kind !== 'refused' || retryInSeconds > 0)) {
      return <ProblemNote problem={problem} here="/lab" />;
    }
    return idle ? <Notice>{idle}</Notice> : null;
  }

  return (
    <div className={styles.status}>
      <div className={styles.buttons}>
        <Button variant={variant} busy={busy} closed={closed || retryInSeconds > 0} onClick={onStart}>
          {Icon && retryInSeconds === 0 && <Icon size={18} aria-hidden="true" />}
          {retryInSeconds > 0 ? t('retryIn', { time: wait(retryInSeconds) }) : label}
        </Button>
        {busy && <Button onClick={call.cancel}>{t('cancel')}</Button>}
      </div>
      <div className={styles.note}>
        {/* Outside the live region, because it changes several times per second. */}
        {busy && (
          <div className={styles.progress}>
            <span>{progress ? t('progress', progress) : t('busy')}</span>
            {progress ? (
              <ShareProgress label={t('busy')} value={progress.done} max={progress.of} />
            ) : (
              <Progress label={t('busy')} overMs={0} />
            )}
          </div>
        )}
        <div role="status">
          {renderNote()}
          {isEarlier && !busy && <span className={layout.visuallyHidden}>{t('earlier')}</span>}
        </div>
      </div>
    </div>
  );
}

interface LimitedCall<Input, Output> {
  start(input: Input): void;
  /** Cancels the call on the client and on the server. */
  cancel(): void;
  /** Cancels the call and discards its error, because its input has changed. */
  reset(): void;
  /** The latest result. It stays until the next one, also while the input changes. */
  data: Output | undefined;
  /** Input of `data`. */
  dataInput: Input | undefined;
  /** Input of the running call. */
  input: Input | undefined;
  busy: boolean;
  wasCancelled: boolean;
  problem: Problem | undefined;
  /** Whole seconds until a retry is allowed. 0 if it is allowed now. */
  retryInSeconds: number;
}

/** A long call that can be cancelled, or refused by a limit. */
export function useLimitedCall<Input, Output>(
  call: (input: Input, signal: AbortSignal) => Promise<Output>,
): LimitedCall<Input, Output> {
  const [retryAt, setRetryAt] = useState<number>();
  const [wasCancelled, setWasCancelled] = useState(false);
  const controller = useRef<AbortController>(undefined);
  const [latest, setLatest] = useState<{ variables: Input; data: Output }>();
  const mutation = useMutation({
    mutationFn(input: Input) {
      controller.current = new AbortController();
      return call(input, controller.current.signal);
    },
    onError(error) {
      const problem = problemOf(error);
      if (problem.kind === 'refused') setRetryAt(retryAtOf(problem.refusal));
    },
  });

  if (mutation.status === 'success' && mutation.data !== latest?.data) setLatest(mutation);

  function cancel(): void {
    controller.current?.abort();
    mutation.reset();
    setWasCancelled(true);
  }

  return {
    start(input) {
      setWasCancelled(false);
      mutation.mutate(input);
    },
    cancel,
    reset() {
      cancel();
      setWasCancelled(false);
    },
    data: latest?.data,
    dataInput: latest?.variables,
    input: mutation.variables,
    busy: mutation.isPending,
    wasCancelled,
    problem: mutation.error ? problemOf(mutation.error) : undefined,
    retryInSeconds: useCountdown({ clock: stopwatch, until: retryAt }),
  };
}
