import { useTranslations } from 'next-intl';
import { Outcome } from '../_components/outcome';

/** States that a coupon is sold out, and how many there were. */
export default function SoldOutNote({ total }: { total: number }) {
  const t = useTranslations('coupon');
  return (
    <Outcome variant="gone" title={t('idle.sold-out')}>
      {t('allTaken', { total })}
    </Outcome>
  );
}
