import { useTranslations } from 'next-intl';
import { Announcer } from '../../_components/ui/announcer';
import { Button } from '../../_components/ui/button';
import layout from '../../_components/ui/layout.module.css';
import { PAGE_ROWS, type Paging } from './use-paging';

interface Props {
  /** The name of the table. */
  label: string;
  paging: Paging;
}

/** Turns the pages of a table; nothing if it has only one. Needs the namespace `ops`. */
export function TablePages({ label, paging }: Props) {
  const t = useTranslations('ops.table');
  const { range, loaded, hasMore, hasPrevious, hasNext, isLoading, showPrevious, showNext } = paging;
  if (!hasPrevious && !hasNext) return null;
  const words = { from: range.from + 1, to: range.to, total: loaded };
  return (
    <nav className={layout.row2} aria-label={t('pages', { table: label })}>
      <Announcer text={t('page', { page: range.from / PAGE_ROWS + 1 })} minIntervalMs={0} urgentKey={false} />
      <span className={layout.figures}>{t(hasMore ? 'rangeOfMore' : 'range', words)}</span>
      <Button closed={!hasPrevious} onClick={showPrevious}>
        {t('previous')}
      </Button>
      <Button closed={!hasNext} busy={isLoading} onClick={showNext}>
        {t('next')}
      </Button>
    </nav>
  );
}
