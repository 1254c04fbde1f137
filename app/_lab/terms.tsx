import { useTranslations } from 'next-intl';
import { Details } from './details';
import styles from './terms.module.css';

interface Props {
  /** Headings of a table, each with its meaning. */
  terms: readonly { name: string; means: string }[];
}

/** Explains the headings of a table. */
export function Terms({ terms }: Props) {
  const t = useTranslations('lab.terms');
  return (
    <Details summary={t('title')}>
      <dl className={styles.terms}>
        {terms.map(({ name, means }) => (
          <div key={name} className={styles.term}>
            <dt>{name}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
    </Details>
  );
}
