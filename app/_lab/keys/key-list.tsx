import { useTranslations } from 'next-intl';
import { Details } from '../details';
import type { KeySnapshot } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { KeyContents } from './key-contents';
import styles from './key-list.module.css';

interface Props {
  groups: readonly { name: string; keys: readonly KeySnapshot[] }[];
}

/** Keys as Redis stores them, grouped by writer. */
export function KeyList({ groups }: Props) {
  const t = useTranslations('lab.keys');
  const { bytes, count } = useLabNumbers();
  return (
    <div>
      {groups.map(({ name, keys }) => (
        <Details
          key={name}
          summary={
            <>
              {name}
              <span className={styles.sum}>
                {t('sum', {
                  count: keys.length,
                  bytes: bytes(keys.reduce((sum, key) => sum + key.bytes, 0)),
                })}
              </span>
            </>
          }
        >
          <ul className={styles.keys}>
            {keys.map((key) => (
              <li key={key.key} className={styles.key}>
                <code className={styles.name}>{key.key}</code>
                <dl className={styles.facts}>
                  <Fact command="TYPE" value={key.type} />
                  <Fact command="OBJECT ENCODING" value={key.encoding} />
                  <Fact command="PTTL" value={t('ttl', { count: key.ttlMs })} />
                  <Fact command="MEMORY USAGE" value={bytes(key.bytes)} />
                  <Fact command={lengthCommands[key.type]} value={count(key.length)} />
                </dl>
                <KeyContents snapshot={key} />
              </li>
            ))}
          </ul>
        </Details>
      ))}
    </div>
  );
}

const lengthCommands = {
  string: 'STRLEN',
  list: 'LLEN',
  hash: 'HLEN',
  zset: 'ZCARD',
} as const satisfies Record<KeySnapshot['type'], string>;

function Fact({ command, value }: { command: string; value: string }) {
  return (
    <div className={styles.fact}>
      <dt>{command}</dt>
      <dd>{value}</dd>
    </div>
  );
}
