import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { Dialog } from '../../_components/ui/dialog';
import styles from './switch-off.module.css';

interface Props {
  isOpen: boolean;
  isBusy: boolean;
  onClose(): void;
  onSwitchOff(): void;
}

/** Confirms turning off a level. */
export function SwitchOff({ isOpen, isBusy, onClose, onSwitchOff }: Props) {
  const t = useTranslations('opsLimits.switchOff');
  return (
    <Dialog title={t('title')} isOpen={isOpen} onClose={onClose}>
      <p>{t('text')}</p>
      <div className={styles.buttons}>
        <Button variant="primary" busy={isBusy} onClick={onSwitchOff}>
          {t('switchOff')}
        </Button>
        <Button onClick={onClose}>{t('cancel')}</Button>
      </div>
    </Dialog>
  );
}
