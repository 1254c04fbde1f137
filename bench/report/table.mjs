/**
 * A Markdown table: the first column text, the others numbers unless `text` says so.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @param {{ text?: readonly number[] }} [options]  Places of further columns of text.
 */
export function table(head, rows, { text = [] } = {}) {
  const rule = head.map((_, place) => (place === 0 || text.includes(place) ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
