import type { Metadata } from 'next';
import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { ButtonLink } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { PageHead } from '../_components/ui/page-parts';
import { ClientMessages } from '../_i18n/client-messages';
import type { Messages } from '../_i18n/messages';
import { formatPeriod } from '../_i18n/use-durations';
import { getStepHref, parseStep, type Section, sections, tourSteps } from '../_lab/addresses';
import { LabSection } from '../_lab/lab-section';
import { LeaveTour, SectionNav } from '../_lab/navigation';
import styles from '../_lab/pages.module.css';
import { encodeScenario, parseScenario } from '../_lab/scenario';
import { pageMetadata, type SearchParams } from '../_shell/page-metadata';
import { getServer, readStore } from '../_trpc/server';

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const t = await getTranslations('labText');
  return pageMetadata({ path: '/lab', searchParams, title: t('title'), description: t('description') });
}

/** Shows a section of the lab. The URL contains the section and the scenario. */
export default async function LabPage({ searchParams }: { searchParams: SearchParams }) {
  const [t, duration] = await Promise.all([getTranslations('labText'), getTranslations('duration')]);
  const server = await getServer();
  const [level] = server.listEnforcedLevels('lab');
  const limit = level
    ? t('limit', { limit: level.limit, window: formatPeriod(duration, level.windowMs) })
    : '';
  const query = firstTexts(await searchParams);
  const section = sections.find((name) => name === query.get('section')) ?? sections[0];
  const step = parseStep(query);
  const [cards, example, examination] = await Promise.all([
    section === 'mistakes' ? readCards() : [],
    section === 'compare' ? readExample(query) : null,
    section === 'examine' ? readExamination() : null,
  ]);
  const scenario = step === undefined ? undefined : tourSteps[step]?.href;
  return (
    <>
      <div className={styles.head}>
        <PageHead
          title={t('title')}
          lead={t('lead', { limit })}
          action={
            scenario ? (
              <LeaveTour href={scenario}>{t('tour.leave')}</LeaveTour>
            ) : (
              <ButtonLink href="/lab/tour">{t('toTour')}</ButtonLink>
            )
          }
        />
      </div>
      {step !== undefined && <TourBar index={step} />}
      <SectionNav
        label={t('sections')}
        current={section}
        links={sections.map((section) => ({ section, name: t(`${section}.name`) }))}
      />
      <h2 className={styles.title}>{t(`${section}.name`)}</h2>
      <p className={classNames(layout.soft, styles.lead)}>{t(`${section}.lead`)}</p>
      <ClientMessages only={['lab', ...sectionMessages[section], 'table', 'problem', 'refusal', 'duration']}>
        {/* Each step of the tour begins with its own scenario. */}
        <LabSection
          key={step}
          section={section}
          cards={cards}
          example={example}
          examination={examination}
          isTour={step !== undefined}
        />
      </ClientMessages>
      {step !== undefined && (
        <div className={styles.end}>
          <TourLinks index={step} />
        </div>
      )}
    </>
  );
}

/** The step of the tour that the page shows, with links to its neighbours. */
async function TourBar({ index }: { index: number }) {
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
async function TourLinks({ index }: { index: number }) {
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

/** The messages that one section alone reads. */
const sectionMessages = {
  compare: [],
  mistakes: ['labMistakes'],
  storage: ['labStorage'],
  ladder: ['labLadder'],
  layers: ['labLayers'],
  fairness: ['labFairness'],
  examine: ['labExamine'],
} as const satisfies Record<Section, readonly (keyof Messages)[]>;

/** Returns the shared result of the default scenario, or null for another scenario and while there is none. */
async function readExample(query: URLSearchParams) {
  const chosen = encodeScenario(parseScenario(query));
  if (String(chosen) !== String(encodeScenario(parseScenario(new URLSearchParams())))) return null;
  const read = await readStore(async (caller) => ({ example: await caller.lab.example() }));
  // Keys and responses are shown after a run of the visitor's own. With them, the HTML takes a second round trip.
  return read?.example?.runs.map(({ keys: _, tells: __, ...run }) => run) ?? null;
}

async function readExamination() {
  const read = await readStore(async (caller) => ({ examination: await caller.lab.examination() }));
  return read?.examination ?? null;
}

async function readCards() {
  const read = await readStore(async (caller) => ({ cards: await caller.lab.cards() }));
  // The browser needs no lines of the hand-out.
  return (read?.cards ?? []).map(({ tip: _, ...card }) => card);
}

/** Returns the query with the first value of each name. */
function firstTexts(query: Awaited<SearchParams>): URLSearchParams {
  const texts = Object.entries(query).map(([name, value]) => [name, [value].flat()[0]] as const);
  return new URLSearchParams(texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}
