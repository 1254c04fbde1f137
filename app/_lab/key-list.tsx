import { useTranslations } from 'next-intl';
import { classNames } from '../_components/ui/class-names';
import layout from '../_components/ui/layout.module.css';
import { Details } from './details';
import styles from './lab.module.css';
import { useLabNumbers } from './numbers';
import type { KeySnapshot, PackedState } from './types';

interface Props {
  groups: readonly { name: string; keys: readonly KeySnapshot[] }[];
}

/** Keys as Redis stores them, grouped by writer. */
export function KeyList({ groups }: Props) {
  const t = useTranslations('lab.keys');
  const { bytes, count, ms } = useLabNumbers();
  return (
    <div>
      {groups.map(({ name, keys }) => (
        <Details
          key={name}
          summary={
            <span className={classNames(layout.words2, styles.keyGroup)}>
              {name}{' '}
              <span className={classNames(layout.hint, layout.figures, styles.keySum)}>
                {t('sum', {
                  count: keys.length,
                  bytes: bytes(keys.reduce((sum, key) => sum + key.bytes, 0)),
                })}
              </span>
            </span>
          }
        >
          <ul className={layout.stack4}>
            {keys.map((key) => (
              <li key={key.key} className={classNames(layout.stack2, styles.key)}>
                <code className={classNames(layout.small, styles.keyName)}>{key.key}</code>
                <dl className={styles.keyFacts}>
                  <Fact command="TYPE" value={key.type} />
                  <Fact command="OBJECT ENCODING" value={key.encoding} />
                  <Fact command="PTTL" value={ms(key.ttlMs)} />
                  <Fact command="MEMORY USAGE" value={bytes(key.bytes)} />
                  <Fact command="CLUSTER KEYSLOT" value={String(key.slot)} />
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
  set: 'SCARD',
  zset: 'ZCARD',
} as const satisfies Record<KeySnapshot['type'], string>;

function Fact({ command, value }: { command: string; value: string }) {
  return (
    <div className={styles.keyFact}>
      <dt className={layout.soft}>{command}</dt>
      <dd className={classNames(layout.small, layout.figures, layout.strong)}>{value}</dd>
    </div>
  );
}

/** Enough members to show the structure of a key. */
const MAX_SHOWN_MEMBERS = 12;

/** The content of a key as `redis-cli` prints it, and the decoded packed state. */
function KeyContents({ snapshot }: { snapshot: KeySnapshot }) {
  const t = useTranslations('lab.keys');
  const shown = snapshot.members.slice(0, MAX_SHOWN_MEMBERS);
  const more = snapshot.type === 'string' ? 0 : snapshot.length - shown.length;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <pre className={styles.keyMembers} tabIndex={0}>
        {shown.map(({ member, value }) => (value === null ? member : `${member}  ${value}`)).join('\n')}
        {more > 0 && `\n${t('more', { count: more })}`}
      </pre>
      {snapshot.meaning && (
        <p className={classNames(layout.hint, layout.figures, styles.keyMeaning)}>
          <PackedStateText meaning={snapshot.meaning} />
        </p>
      )}
    </>
  );
}

/** Further times of a log are only counted. */
const MAX_SHOWN_INSTANTS = 8;

/** Describes a packed state in words. */
function PackedStateText({ meaning }: { meaning: PackedState }) {
  const t = useTranslations('lab.packed');
  const { time } = useLabNumbers();
  switch (meaning.kind) {
    case 'log':
      return t('log', {
        count: meaning.instants.length,
        instants: meaning.instants.slice(0, MAX_SHOWN_INSTANTS).map(time).join(', '),
        more: Math.max(0, meaning.instants.length - MAX_SHOWN_INSTANTS),
      });
    case 'fixed-window':
      return t('fixedWindow', { count: meaning.count, newest: time(meaning.newest) });
    case 'sub-windows':
      return t('subWindows', {
        sum: meaning.sum,
        newest: time(meaning.newest),
        parts: meaning.parts.map(({ endsAt, count }) => t('part', { count, until: time(endsAt) })).join(', '),
      });
    case 'bucket':
      return t('bucket', {
        units: meaning.units,
        newest: time(meaning.newest),
        limit: meaning.limit,
        window: time(meaning.windowMs),
      });
  }
}
