import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { ButtonLink } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { getStepHref, tourSteps } from './addresses';
import styles from './pages.module.css';

/** The step of the tour that the page shows, with links to its neighbours. */
export async function TourBar({ index }: { index: number }) {
  const t = await getTranslations('labText.tour');
  const step = tourSteps[index];
  if (!step) return null;
  return (
    <nav
      className={classNames(layout.row4, layout.apart, layout.accentFill, styles.bar)}
      aria-label={t('title')}
    >
      <p className={styles.barText}>
        <strong className={styles.barName}>
          {t('step', { step: index + 1, of: tourSteps.length, name: t(`steps.${step.name}.name`) })}
        </strong>{' '}
        {t(`steps.${step.name}.text`)}
      </p>
      <TourLinks index={index} />
    </nav>
  );
}

/** The links to the neighbours of a step. The page repeats them below the step, because a card comes into view below the bar. */
export async function TourLinks({ index }: { index: number }) {
  const t = await getTranslations('labText.tour');
  const previous = getStepHref(index - 1);
  const next = getStepHref(index + 1);
  return (
    <div className={layout.row2}>
      {previous ? (
        <ButtonLink href={previous}>{t('previous')}</ButtonLink>
      ) : (
        <Link prefetch={false} className={styles.allSteps} href="/lab/tour">
          {t('all')}
        </Link>
      )}
      <ButtonLink href={next ?? '/lab/tour'} variant="primary">
        {next ? t('next') : t('done')}
      </ButtonLink>
    </div>
  );
}
