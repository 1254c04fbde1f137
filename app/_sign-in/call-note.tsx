import { RefusalNote } from '../_components/refusal-note';
import { Notice } from '../_components/ui/notice';
import { SlidingMeter } from '../_window/sliding-meter';
import type { CountedCall } from './use-counted-call';

interface Props {
  call: Pick<CountedCall<never>, 'problem' | 'window'>;
  /** Said where the call neither was refused nor found a mistake in the input, which stands beside its field. */
  failed: string;
  /** Names the window, where it is to be shown. */
  whose?: string;
}

/** What a limited call of this form came to, and the window that counts it. */
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
