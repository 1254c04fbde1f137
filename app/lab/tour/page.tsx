import type { Metadata } from 'next';
import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { ButtonLink } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import layout from '../../_components/ui/layout.module.css';
import { PageHead, Panel } from '../../_components/ui/page-parts';
import { getStepHref, tourSteps } from '../../_lab/addresses';
import { AlgorithmPicture } from '../../_lab/algorithm-picture';
import { DemoCalls } from '../../_lab/demo-calls';
import styles from '../../_lab/pages.module.css';
import { algorithms } from '../../_lab/runs';
import { pageMetadata, type SearchParams } from '../../_shell/page-metadata';
import { getServer } from '../../_trpc/server';

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const t = await getTranslations('labText.tour');
  return pageMetadata({ path: '/lab/tour', searchParams, title: t('title'), description: t('description') });
}

/** Leads through the lab in order. Each step is a link with its scenario. */
export default async function TourPage() {
  const [t, names] = await Promise.all([getTranslations('labText.tour'), getTranslations('lab.algorithm')]);
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
                <span className={styles.stepNumber} aria-hidden="true">
                  {index + 1}
                </span>
                <h2 className={layout.title}>
                  <Link prefetch={false} href={getStepHref(index) ?? '/lab'}>
                    {t(`steps.${name}.name`)}
                  </Link>
                </h2>
                <p className={classNames(layout.soft, styles.stepText)}>{t(`steps.${name}.text`)}</p>
                {name === 'algorithms' && (
                  <ul className={styles.pictures}>
                    {algorithms.map((algorithm) => (
                      <li key={algorithm}>
                        <AlgorithmPicture algorithm={algorithm} />
                        {names(algorithm)}
                      </li>
                    ))}
                  </ul>
                )}
                <span className={classNames(layout.hint, layout.figures, styles.stepMinutes)}>
                  {t('minutes', { minutes })}
                </span>
              </div>
            </Panel>
          </li>
        ))}
      </ol>
      <p className={classNames(layout.soft, styles.more)}>
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
      {(await getServer()).request().demo && <DemoCalls />}
    </>
  );
}
