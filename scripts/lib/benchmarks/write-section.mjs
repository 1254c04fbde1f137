import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Replaces one generated section of a Markdown file, or appends it. The text around the section stays.
 *
 * @param {string} file
 * @param {string} name  The name in the markers around the section.
 * @param {string} text
 * @param {{ command?: string }} [options]  The command that writes the section. Default: the npm script of that name.
 */
export function writeSection(file, name, text, { command = `npm run ${name}` } = {}) {
  const begin = `<!-- ${name}: begin, written by ${command} -->`;
  const end = `<!-- ${name}: end -->`;
  const section = `${begin}\n\n${text.trim()}\n\n${end}`;
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '# Benchmarks\n';
  const from = before.indexOf(begin);
  const to = before.indexOf(end);
  const after =
    from >= 0 && to > from
      ? before.slice(0, from) + section + before.slice(to + end.length)
      : `${before.trimEnd()}\n\n${section}\n`;
  writeFileSync(file, after);
}
