import { ChevronRight } from 'lucide-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import styles from './lab.module.css';

/** A collapsed section. */
export function Details({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <details className={styles.details}>
      <summary className={classNames(layout.line2, layout.strong, styles.summary)}>
        <ChevronRight size={18} aria-hidden="true" className={layout.soft} />
        {summary}
      </summary>
      <div className={styles.detailsBody}>{children}</div>
    </details>
  );
}

interface TermsProps {
  /** Default: the question about the headings of a table. */
  title?: string;
  /** Each with its meaning. */
  terms: readonly { name: string; means: string }[];
}

/** Explains terms, for example the headings of a table. */
export function Terms({ title, terms }: TermsProps) {
  const t = useTranslations('lab.terms');
  return (
    <Details summary={title ?? t('title')}>
      <dl className={classNames(layout.stack2, layout.small, styles.terms)}>
        {terms.map(({ name, means }) => (
          <div key={name} className={styles.term}>
            <dt className={layout.strong}>{name}</dt>
            <dd className={layout.soft}>{means}</dd>
          </div>
        ))}
      </dl>
    </Details>
  );
}
