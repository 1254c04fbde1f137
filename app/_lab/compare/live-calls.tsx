import { useTranslations } from 'next-intl';
import { useDurations } from '../../_i18n/use-durations';
import { useTRPCClient } from '../../_trpc/client';
import { CallStatus, useLimitedCall } from '../limited-call';
import { MAX_OFFSETS } from '../scenario';
import styles from './live-calls.module.css';

interface Props {
  /** Offsets of the loaded calls, in ms. */
  taken: readonly number[];
  onTake(offsets: readonly number[]): void;
}

/** Loads recent calls of the live sale as the calls of a scenario. */
export function LiveCalls({ taken, onTake }: Props) {
  const t = useTranslations('lab.live');
  const { wait } = useDurations();
  const client = useTRPCClient();
  const call = useLimitedCall(async (_: null, signal) => {
    const offsets = toOffsets((await client.lab.arrivals.query(undefined, { signal })).arrivals);
    onTake(offsets);
    return offsets;
  });
  const isEmpty = call.data?.length === 0;
  const time = wait(Math.ceil((taken.at(-1) ?? 0) / 1_000));

  return (
    <CallStatus
      call={call}
      label={t('take')}
      onStart={() => call.start(null)}
      idle={
        <span className={styles.note}>
          {taken.length > 0 && t('taken', { count: taken.length, time })}
          {taken.length === 0 && !isEmpty && t('idle')}
          {isEmpty &&
            t.rich('none', {
              sale: (text) => (
                <a href="/" target="_blank" rel="noopener">
                  {text}
                </a>
              ),
            })}
        </span>
      }
    />
  );
}

/** Keeps as many of the newest arrivals as a URL can carry, as offsets from the first. */
function toOffsets(arrivals: readonly number[]): number[] {
  const newest = arrivals.slice(-MAX_OFFSETS).map(Math.floor);
  const [first = 0] = newest;
  return newest.map((at) => at - first);
}
