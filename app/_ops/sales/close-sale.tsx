import { useTranslations } from 'next-intl';
import { ProblemNote } from '../../_components/problem-note';
import { Button } from '../../_components/ui/button';
import { Dialog } from '../../_components/ui/dialog';
import type { Problem } from '../../_trpc/problem';
import styles from './close-sale.module.css';

interface Props {
  /** The title of the sale to close. It stays while the dialog closes. */
  title: string;
  isOpen: boolean;
  isBusy: boolean;
  problem: Problem | undefined;
  onClose(): void;
  onCloseSale(): void;
}

/** Confirms the closing of a sale, which is final. */
export function CloseSale({ title, isOpen, isBusy, problem, onClose, onCloseSale }: Props) {
  const t = useTranslations('opsSales.close');
  return (
    <Dialog title={t('title', { title })} isOpen={isOpen} onClose={onClose}>
      <p>{t('text')}</p>
      {problem && <ProblemNote problem={problem} here="/ops/sales" />}
      <div className={styles.buttons}>
        <Button variant="primary" busy={isBusy} onClick={onCloseSale}>
          {t('close')}
        </Button>
        <Button onClick={onClose}>{t('cancel')}</Button>
      </div>
    </Dialog>
  );
}
