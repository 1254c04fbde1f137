import Link from 'next/link';
import { useTranslations } from 'next-intl';
import type { Problem } from '../_trpc/problem';
import { InPlaceOf } from './in-place-of';
import { RefusalNote } from './refusal-note';
import { Notice } from './ui/status';

interface Props {
  problem: Problem;
  /** The page to return to after signing in. */
  here: string;
  /** The call buys, pays or cancels: without a response, the wallet shows its result. Default: false. */
  isPurchase?: boolean;
  /** The wait of a refusal has ended. Default: false. */
  isOver?: boolean;
}

/** Explains why a call failed. */
export function ProblemNote({ problem, here, isPurchase = false, isOver = false }: Props) {
  const t = useTranslations('problem');
  switch (problem.kind) {
    case 'refused':
      return (
        <Notice tone="refused">
          <RefusalNote
            refusal={problem.refusal}
            message={isOver ? <InPlaceOf text={problem.message}>{t('again')}</InPlaceOf> : problem.message}
          />
        </Notice>
      );
    case 'signed-out':
      return (
        <Notice tone="warning">
          {t.rich('signedOut', {
            way: (text) => (
              <Link prefetch={false} href={`/sign-in?next=${encodeURIComponent(here)}`}>
                {text}
              </Link>
            ),
          })}
        </Notice>
      );
    case 'rejected':
      return <Notice tone="warning">{problem.message ?? t('rejected')}</Notice>;
    case 'unavailable':
    case 'lost':
      return <Notice tone="unavailable">{t(isPurchase ? `${problem.kind}Purchase` : problem.kind)}</Notice>;
    case 'missing':
    case 'broken':
      return <Notice tone="warning">{t(problem.kind)}</Notice>;
  }
}
