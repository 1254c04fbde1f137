import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { useLevelName } from '../levels';
import { type LimitName, loadLimitDialog, useOpenLimitDialog } from './limit-dialog-provider';

/** Opens the dialog that changes a limit. Place it wherever the limit is shown. Needs the namespace `ops`. */
export function ChangeLimitButton({ policy, level }: LimitName) {
  const t = useTranslations('ops.changeLimit');
  const levelName = useLevelName();
  const open = useOpenLimitDialog();
  return (
    <Button
      aria-label={t('label', { policy, level: levelName(level) })}
      aria-haspopup="dialog"
      onPointerEnter={() => void loadLimitDialog()}
      onFocus={() => void loadLimitDialog()}
      onClick={() => open({ policy, level })}
    >
      {t('open')}
    </Button>
  );
}
