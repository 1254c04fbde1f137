import type { Metadata } from 'next';
import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { ButtonLink } from '../../_components/ui/button';
import { PageHead, Panel } from '../../_components/ui/page-parts';
import { getStepHref, tourSteps } from '../../_lab/tour/steps';
import { pageMetadata, type SearchParams } from '../../_shell/page-metadata';
import styles from './page.module.css';

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const t = await getTranslations('labText.tour');
  return pageMetadata({ path: '/lab/tour', searchParams, title: t('title'), description: t('description') });
}

/** Leads through the lab in order. Each step is a link with its scenario. */
export default async function TourPage() {
  const t = await getTranslations('labText.tour');
  const minutes = tourSteps.reduce((sum, step) => sum + step.minutes, 0);
  return (
    <>
      <PageHead
        title={t('title')}
        lead={t('lead', { minutes, steps: tourSteps.length })}
        action={
          <ButtonLink href={getStepHref(0) ?? '/lab'} variant="primary">
            {t('start')}
          </ButtonLink>
        }
      />
      <ol className={styles.steps}>
        {tourSteps.map(({ name, minutes }, index) => (
          <li key={name}>
            <Panel>
              <div className={styles.step}>
                <span className={styles.number} aria-hidden="true">
                  {index + 1}
                </span>
                <h2 className={styles.name}>
                  <Link prefetch={false} href={getStepHref(index) ?? '/lab'}>
                    {t(`steps.${name}.name`)}
                  </Link>
                </h2>
                <p className={styles.text}>{t(`steps.${name}.text`)}</p>
                <span className={styles.minutes}>{t('minutes', { minutes })}</span>
              </div>
            </Panel>
          </li>
        ))}
      </ol>
      <p className={styles.more}>
        {t.rich('more', {
          handout: (text) => (
            <Link prefetch={false} href="/lab/handout">
              {text}
            </Link>
          ),
          lab: (text) => (
            <Link prefetch={false} href="/lab">
              {text}
            </Link>
          ),
        })}
      </p>
    </>
  );
}
