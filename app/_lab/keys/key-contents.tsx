import { useTranslations } from 'next-intl';
import type { KeyLook } from '../types';
import styles from './key-contents.module.css';
import { PackedText } from './packed-text';

/** So many members show how a key is made; the rest is more of the same. */
const shownMembers = 12;

/** What a key holds, as `redis-cli` prints it, and what packed bytes mean. */
export function KeyContents({ look }: { look: KeyLook }) {
  const t = useTranslations('lab.keys');
  const shown = look.members.slice(0, shownMembers);
  const more = look.type === 'string' ? 0 : look.length - shown.length;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.members} tabIndex={0}>
        {shown.map(({ member, value }) => (value === null ? member : `${member}  ${value}`)).join('\n')}
        {more > 0 && `\n${t('more', { count: more })}`}
      </pre>
      {look.meaning && (
        <p className={styles.meaning}>
          <PackedText meaning={look.meaning} />
        </p>
      )}
    </>
  );
}
