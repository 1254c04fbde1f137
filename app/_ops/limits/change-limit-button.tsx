import { useTranslations } from 'next-intl';
import { Button } from '../../_components/ui/button';
import { useLevelName, usePolicyName } from '../levels';
import { type LimitName, loadLimitDialog, useOpenLimitDialog } from './limit-dialog-provider';

interface Props extends LimitName {
  /** Called when the dialog opens. A dialog that contains the button closes itself. */
  onOpen?(): void;
}

/** Opens the dialog that changes a limit. Place it wherever the limit is shown. Needs the namespace `ops`. */
export function ChangeLimitButton({ policy, level, onOpen }: Props) {
  const t = useTranslations('ops.changeLimit');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const open = useOpenLimitDialog();
  return (
    <Button
      aria-label={t('label', { policy: policyName(policy), level: levelName(level) })}
      aria-haspopup="dialog"
      onPointerEnter={() => void loadLimitDialog()}
      onFocus={() => void loadLimitDialog()}
      onClick={() => {
        onOpen?.();
        open({ policy, level });
      }}
    >
      {t('open')}
    </Button>
  );
}
