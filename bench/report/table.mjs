/**
 * Formats a Markdown table. The first column is text. The others are numbers, except those in `text`.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @param {{ text?: readonly number[] }} [options]  Indexes of further text columns.
 */
export function table(head, rows, { text = [] } = {}) {
  const rule = head.map((_, index) => (index === 0 || text.includes(index) ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
