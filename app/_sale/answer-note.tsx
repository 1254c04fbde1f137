import { useTranslations } from 'next-intl';
import { ProblemNote } from '../_components/problem-note';
import { PurchaseReplyNote } from '../_components/purchase-reply-note';
import { Notice } from '../_components/ui/notice';
import type { PurchaseReply } from '../_trpc/types';
import type { StandingRefusal } from '../_window/refusals';
import { RefusedNote, Why } from './refused-note';
import TapsNote from './taps-note';
import type { PurchaseResult } from './use-purchase';
import { useSettled } from './use-settled';

interface Props {
  result: Exclude<PurchaseResult, { kind: 'none' }>;
  refusal: StandingRefusal | undefined;
  /** A refusal is not over yet. */
  isWaiting: boolean;
}

/** What became of the last click. */
export default function AnswerNote({ result, refusal, isWaiting }: Props) {
  const t = useTranslations('outcome');
  switch (result.kind) {
    case 'reply':
      return <Reply reply={result.reply} />;
    case 'taps':
      return <TapsNote tally={result.tally}>{isWaiting && refusal && <Why refusal={refusal} />}</TapsNote>;
    case 'problem':
      if (result.problem.kind !== 'refused') return <ProblemNote problem={result.problem} here="/" />;
      if (!isWaiting) return <Notice>{t('again')}</Notice>;
      return <RefusedNote {...result.problem} standing={refusal} />;
  }
}

/** A reply that goes on: what is reserved is confirmed a moment later. */
function Reply({ reply }: { reply: PurchaseReply }) {
  return <PurchaseReplyNote reply={useSettled(reply)} />;
}
