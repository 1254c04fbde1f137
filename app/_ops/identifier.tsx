import layout from '../_components/ui/layout.module.css';

/** The first characters distinguish ids on a page. The title has the whole id. */
const SHOWN_LENGTH = 8;

/** Shows a shortened id. */
export function Identifier({ id }: { id: string }) {
  return (
    <code className={layout.code} title={id}>
      {id.length > SHOWN_LENGTH + 1 ? `${id.slice(0, SHOWN_LENGTH)}…` : id}
    </code>
  );
}
