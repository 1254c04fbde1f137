import { useTranslations } from 'next-intl';
import type { KeySnapshot } from '../types';
import styles from './key-contents.module.css';
import { PackedStateText } from './packed-state-text';

/** Enough members to show the structure of a key. */
const MAX_SHOWN_MEMBERS = 12;

/** The content of a key as `redis-cli` prints it, and the decoded packed state. */
export function KeyContents({ snapshot }: { snapshot: KeySnapshot }) {
  const t = useTranslations('lab.keys');
  const shown = snapshot.members.slice(0, MAX_SHOWN_MEMBERS);
  const more = snapshot.type === 'string' ? 0 : snapshot.length - shown.length;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
      <pre className={styles.members} tabIndex={0}>
        {shown.map(({ member, value }) => (value === null ? member : `${member}  ${value}`)).join('\n')}
        {more > 0 && `\n${t('more', { count: more })}`}
      </pre>
      {snapshot.meaning && (
        <p className={styles.meaning}>
          <PackedStateText meaning={snapshot.meaning} />
        </p>
      )}
    </>
  );
}
