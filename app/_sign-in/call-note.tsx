import { RefusalNote } from '../_components/refusal-note';
import { Notice } from '../_components/ui/notice';
import { SlidingMeter } from '../_window/sliding-meter';
import type { CountedCall } from './use-counted-call';

interface Props {
  call: Pick<CountedCall<never>, 'problem' | 'window'>;
  /** Shown for a failure that is neither a refusal nor an input error. */
  failed: string;
  /** The name of the window's meter. Absent: no meter. */
  whose?: string;
}

/** Shows the problem of a limited call and the window that counts it. */
export function CallNote({ call: { problem, window }, failed, whose }: Props) {
  return (
    <>
      <div role="status">
        {problem?.kind === 'refused' && (
          <Notice tone="refused">
            <RefusalNote refusal={problem.refusal} message={problem.message} />
          </Notice>
        )}
        {problem && problem.kind !== 'refused' && problem.kind !== 'rejected' && (
          <Notice tone="warning">{failed}</Notice>
        )}
      </div>
      {whose !== undefined && window && <SlidingMeter whose={whose} window={window} unknown="" />}
    </>
  );
}
