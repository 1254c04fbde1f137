import type { Metadata } from 'next';
import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import { classNames } from '../../_components/ui/class-names';
import { PageHead } from '../../_components/ui/page-parts';
import { AlgorithmPicture } from '../../_lab/algorithm-picture';
import { algorithms } from '../../_lab/runs';
import { pageMetadata, type SearchParams } from '../../_shell/page-metadata';
import { readStore } from '../../_trpc/server';
import styles from './page.module.css';
import { PrintButton } from './print-button';

export async function generateMetadata({ searchParams }: { searchParams: SearchParams }): Promise<Metadata> {
  const t = await getTranslations('labText.handout');
  return pageMetadata({ path: '/lab/handout', searchParams, title: t('title'), description: t('lead') });
}

/** The lab on two printed pages: algorithms, a decision tree, and one line for each mistake. */
export default async function HandoutPage() {
  const t = await getTranslations('labText.handout');
  return (
    <article className={styles.handout}>
      <PageHead title={t('title')} lead={t('lead')} action={<PrintButton>{t('print')}</PrintButton>} />
      <h2 className={styles.heading}>{t('algorithms.title')}</h2>
      <AlgorithmTable />
      <p className={styles.note}>{t('algorithms.note')}</p>
      <h2 className={styles.heading}>{t('tree.title')}</h2>
      <DecisionTree />
      <h2 className={classNames(styles.heading, styles.secondPage)}>{t('mistakes.title')}</h2>
      <MistakeList />
    </article>
  );
}

/** One line for each card, and one for the measured comparison. */
async function MistakeList() {
  const [t, read] = await Promise.all([
    getTranslations('labText.handout.mistakes'),
    readStore(async (caller) => ({ cards: await caller.lab.cards() })),
  ]);
  return (
    <ul className={styles.mistakes}>
      {read?.cards.map(({ id, tip }) => {
        const [before, linked, after] = tip.split(/<\/?card>/);
        return (
          <li key={id}>
            {before}
            <CardLink id={id}>{linked}</CardLink>
            {after}
          </li>
        );
      })}
      <li>{t.rich('round-trips', { card: (text) => <CardLink id="round-trips">{text}</CardLink> })}</li>
    </ul>
  );
}

function CardLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Link prefetch={false} href={`/lab?section=mistakes&card=${id}`}>
      {children}
    </Link>
  );
}

const columns = ['bound', 'memory', 'effect', 'use'] as const;

async function AlgorithmTable() {
  const [t, names] = await Promise.all([
    getTranslations('labText.handout.algorithms'),
    getTranslations('lab.algorithm'),
  ]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <section className={styles.scroll} tabIndex={0} aria-label={t('title')}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {t(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {algorithms.map((algorithm) => (
            <tr key={algorithm}>
              <th scope="row">
                {names(algorithm)}
                <AlgorithmPicture algorithm={algorithm} />
              </th>
              {columns.map((column) => (
                <td key={column} data-label={t(column)}>
                  {t(`of.${algorithm}.${column}`)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

async function DecisionTree() {
  const t = await getTranslations('labText.handout.tree');
  const branch = (name: Parameters<typeof t.rich>[0]) => t.rich(name, { b: (text) => <b>{text}</b> });
  return (
    <ul className={styles.tree}>
      <li>
        {branch('exact')}
        <ul>
          <li>{branch('few')}</li>
          <li>{branch('many')}</li>
        </ul>
      </li>
      <li>
        {branch('average')}
        <ul>
          <li>{branch('quota')}</li>
          <li>{branch('bursts')}</li>
          <li>{branch('even')}</li>
        </ul>
      </li>
      <li>{branch('levels')}</li>
      <li>{branch('down')}</li>
    </ul>
  );
}
