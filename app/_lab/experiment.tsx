import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, type LucideIcon, TriangleAlert } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ProblemNote } from '../_components/problem-note';
import { Progress, ShareProgress } from '../_components/ui/bars';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Panel } from '../_components/ui/page-parts';
import { Badge, Notice } from '../_components/ui/status';
import { useDurations } from '../_i18n/use-durations';
import { retryAtOf, stopwatch } from '../_live/clock';
import { useCountdown } from '../_live/use-now';
import { useTRPC } from '../_trpc/client';
import { type Problem, problemOf } from '../_trpc/problem';
import styles from './lab.module.css';

interface Experiment<Input, Output> {
  /** Runs the experiment with the present input. */
  start(): void;
  /** Cancels the run on the client and on the server. */
  cancel(): void;
  /** The latest result. It stays until the next one, also while the input changes. */
  data: Output | undefined;
  /** The input of `data`. */
  dataInput: Input | undefined;
  /** The present input is not that of `data`, or the next run was cancelled. */
  isEarlier: boolean;
  busy: boolean;
  wasCancelled: boolean;
  problem: Problem | undefined;
  /** Whole seconds until a retry is allowed. 0 if it is allowed now. */
  retryInSeconds: number;
}

/**
 * A long call that can be cancelled, or refused by a limit. `input` is its input as JSON can carry it. Another input cancels
 * the run and discards its error.
 */
export function useExperiment<Input, Output>(
  input: Input,
  run: (input: Input, signal: AbortSignal) => Promise<Output>,
): Experiment<Input, Output> {
  const key = JSON.stringify(input);
  const [result, setResult] = useState<{ key: string; input: Input; output: Output }>();
  const [retryAt, setRetryAt] = useState<number>();
  const [wasCancelled, setWasCancelled] = useState(false);
  const latest = useRef<{ key: string; controller: AbortController }>(undefined);
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn({ key, input }: { key: string; input: Input }) {
      const controller = new AbortController();
      latest.current = { key, controller };
      return run(input, controller.signal);
    },
    onSuccess: (output, started) => setResult({ ...started, output }),
    onError(error) {
      const problem = problemOf(error);
      if (problem.kind === 'refused') setRetryAt(retryAtOf(problem.refusal));
    },
  });

  useEffect(() => {
    if (latest.current === undefined || latest.current.key === key) return;
    latest.current.controller.abort();
    latest.current = undefined;
    reset();
    setWasCancelled(false);
  }, [key, reset]);

  return {
    start() {
      setWasCancelled(false);
      mutate({ key, input });
    },
    cancel() {
      latest.current?.controller.abort();
      reset();
      setWasCancelled(true);
    },
    data: result?.output,
    dataInput: result?.input,
    isEarlier: result !== undefined && (wasCancelled || result.key !== key),
    busy: isPending,
    wasCancelled,
    problem: error ? problemOf(error) : undefined,
    retryInSeconds: useCountdown({ clock: stopwatch, until: retryAt }),
  };
}

/** Runs an experiment once when it opens, unless it has a result: a page opens with a result. */
export function useFirstRun({ start }: Pick<Experiment<never, unknown>, 'start'>, hasResult: boolean): void {
  const hasRun = useRef(hasResult);
  useEffect(() => {
    if (hasRun.current) return;
    hasRun.current = true;
    start();
  });
}

interface RunProgress {
  done: number;
  of: number;
  /** Experiments of the server that end first. */
  ahead?: number | undefined;
}

/** The server ends a longer experiment. */
const MAX_RUN_SECONDS = 30;
const POLL_INTERVAL_MS = 300;

/** Polls the progress of a run. `''`: none runs. */
export function useRunProgress(runId: string): RunProgress | undefined {
  const trpc = useTRPC();
  const { data } = useQuery({
    ...trpc.lab.progress.queryOptions({ runId }),
    enabled: runId !== '',
    refetchInterval: POLL_INTERVAL_MS,
    retry: false,
  });
  return (runId !== '' && data) || undefined;
}

interface StartProps {
  experiment: Omit<Experiment<never, unknown>, 'data' | 'dataInput'>;
  /** Button label. */
  label: string;
  /** Icon in front of the label. */
  icon?: LucideIcon;
  /** True if there is nothing to start. */
  closed?: boolean;
  variant?: 'primary' | 'secondary';
  /** Progress, if known. */
  progress?: RunProgress | undefined;
  /** Note while nothing is running and no error is shown. */
  idle: ReactNode;
}

/** The start button of an experiment, with its progress, cancellation and errors. */
export function StartButton(props: StartProps) {
  const { experiment, label, icon: Icon, closed, variant = 'secondary', progress, idle } = props;
  const { busy, problem, wasCancelled, isEarlier, retryInSeconds } = experiment;
  const t = useTranslations('lab.call');
  const { wait } = useDurations();

  function renderNote(): ReactNode {
    if (busy) return null;
    // A cancelled call is no error. The refusal note disappears when the button is enabled again.
    if (wasCancelled) return <Notice>{t('cancelled')}</Notice>;
    if (problem && (problem.kind !== 'refused' || retryInSeconds > 0)) {
      return <ProblemNote problem={problem} here="/lab" />;
    }
    return <Notice>{idle}</Notice>;
  }

  function nameProgress(): string {
    if (!progress) return t('busy');
    return progress.ahead
      ? t('waits', { count: progress.ahead, seconds: MAX_RUN_SECONDS })
      : t('progress', { done: progress.done, of: progress.of });
  }

  return (
    <div className={styles.status}>
      <Button variant={variant} busy={busy} closed={closed || retryInSeconds > 0} onClick={experiment.start}>
        {Icon && retryInSeconds === 0 && <Icon size={18} aria-hidden="true" />}
        {retryInSeconds > 0 ? t('retryIn', { time: wait(retryInSeconds) }) : label}
      </Button>
      <div className={styles.statusNote}>
        {/* Its lines stay reserved, so that a run moves nothing. */}
        {busy && (
          <div className={styles.reserved} aria-hidden="true">
            <Notice>{idle}</Notice>
          </div>
        )}
        {/* Outside the live region, because it changes several times per second. */}
        {busy && (
          <div className={classNames(layout.line3, styles.progress)}>
            <div className={classNames(layout.stack2, layout.hint, layout.figures)}>
              <span>{nameProgress()}</span>
              {progress && !progress.ahead ? (
                <ShareProgress label={t('busy')} value={progress.done} max={progress.of} />
              ) : (
                <Progress label={t('busy')} overMs={0} />
              )}
            </div>
            <Button onClick={experiment.cancel}>{t('cancel')}</Button>
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

/** The result of an experiment. An earlier one is dimmed and labelled. Nothing moves. */
export function Result({ isEarlier, children }: { isEarlier: boolean; children: ReactNode }) {
  const t = useTranslations('lab.call');
  return (
    <div className={styles.resultFrame}>
      <div className={classNames(layout.stack4, isEarlier && styles.earlier)}>{children}</div>
      {isEarlier && (
        <span className={styles.earlierLabel}>
          <Badge>{t('earlier')}</Badge>
        </span>
      )}
    </div>
  );
}

/** A verdict in words, with an icon and a colour. */
export function VerdictBadge({ isOk, children }: { isOk: boolean; children: ReactNode }) {
  const Icon = isOk ? CircleCheck : TriangleAlert;
  return (
    <Badge tone={isOk ? 'good' : 'fail'}>
      <Icon size={14} aria-hidden="true" />
      {children}
    </Badge>
  );
}

/** Count of the fullest window, compared with the limit. */
export function LimitBadge({ count, limit }: { count: number; limit: number }) {
  const t = useTranslations('lab.verdict');
  const isOver = count > limit;
  return <VerdictBadge isOk={!isOver}>{t(isOver ? 'over' : 'within', { count, limit })}</VerdictBadge>;
}

/** A part of a result with its own heading. */
export function ResultSection({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Panel>
        <h2 id={id} className={layout.title}>
          {title}
        </h2>
        {children}
      </Panel>
    </section>
  );
}

/** The form of an experiment above its results. On a laptop, both are next to each other and fit on its screen. */
export function FormAndResults({ form, children }: { form: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.formAndResults}>
      <Panel>{form}</Panel>
      {children}
    </div>
  );
}

/** A choice that the URL carries as the parameter `name`, so that a link opens the same experiment. */
export function useUrlChoice(name: string): [choice: string | null, choose: (choice: string) => void] {
  const search = useSearchParams();
  const [choice, setChoice] = useState(() => search.get(name));

  function choose(choice: string): void {
    setChoice(choice);
    const url = new URL(window.location.href);
    url.searchParams.set(name, choice);
    window.history.replaceState(null, '', url);
  }

  return [choice, choose];
}
