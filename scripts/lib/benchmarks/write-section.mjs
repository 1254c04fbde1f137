import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Replaces one generated section of a Markdown file, or appends it: several measurements share the file, and what
 * people wrote around them stays.
 *
 * @param {string} file
 * @param {string} name  Names the markers around the section.
 * @param {string} text
 * @param {{ command?: string }} [options]  What writes it. Default: the script of that name.
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
