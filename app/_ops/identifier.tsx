import styles from './identifier.module.css';

/** So much of an id tells it from the others on a page; the whole of it is there to be copied. */
const shown = 8;

/** An id of the product's own, to be found again in a log. */
export function Identifier({ id }: { id: string }) {
  return (
    <code className={styles.id} title={id}>
      {id.length > shown + 1 ? `${id.slice(0, shown)}…` : id}
    </code>
  );
}
