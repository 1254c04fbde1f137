import { useTranslations } from 'next-intl';
import { ProblemNote } from '../_components/problem-note';
import { PurchaseReplyNote } from '../_components/purchase-reply-note';
import { Notice } from '../_components/ui/notice';
import type { PurchaseReply } from '../_trpc/types';
import type { ActiveRefusal } from '../_window/refusals';
import { RefusedNote, Why } from './refused-note';
import TapsNote from './taps-note';
import { useConfirmedReply } from './use-confirmed-reply';
import type { PurchaseResult } from './use-purchase';

interface Props {
  result: Exclude<PurchaseResult, { kind: 'none' }>;
  refusal: ActiveRefusal | undefined;
  /** A refusal is still active. */
  isWaiting: boolean;
}

/** Shows the result of the last click. */
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

/** Shows a reply, and updates a reserved order once it is confirmed. */
function Reply({ reply }: { reply: PurchaseReply }) {
  return <PurchaseReplyNote reply={useConfirmedReply(reply)} />;
}
