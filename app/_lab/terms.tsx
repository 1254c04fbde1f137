import { useTranslations } from 'next-intl';
import { Details } from './details';
import styles from './terms.module.css';

interface Props {
  /** Default: the question about the headings of a table. */
  title?: string;
  /** Each with its meaning. */
  terms: readonly { name: string; means: string }[];
}

/** Explains terms, for example the headings of a table. */
export function Terms({ title, terms }: Props) {
  const t = useTranslations('lab.terms');
  return (
    <Details summary={title ?? t('title')}>
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
