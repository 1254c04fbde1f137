import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../server/paths';

/** Folders that are not part of the repository. */
const SKIPPED = new Set(['.data', '.git', '.next', 'coverage', 'dist', 'node_modules']);
/** A page in `docs/` with more lines than this starts with a list of its sections. */
const MAX_LINES_WITHOUT_CONTENTS = 150;

const pages = listPages('.');
const docs = pages.filter((page) => page.startsWith('docs/'));
const longDocs = docs.filter((page) => readText(page).split('\n').length > MAX_LINES_WITHOUT_CONTENTS);

test.each(pages)('%s: each relative link leads to an existing file and heading', (page) => {
  expect(linksOf(page).filter((link) => !resolves(page, link))).toEqual([]);
});

test.each(longDocs)('%s: the contents list names each section in order', (page) => {
  const anchors = linksOf(page, contentsOf(page)).map((link) => link.slice(1));
  expect(anchors.filter((anchor) => sectionsOf(page).includes(anchor))).toEqual(sectionsOf(page));
});

test('docs/README.md links to each page in docs/', () => {
  const linked = linksOf('docs/README.md').map((link) => path.posix.join('docs', link));
  expect(docs.filter((page) => page !== 'docs/README.md' && !linked.includes(page))).toEqual([]);
});

test.each([
  ['plain words', 'plain-words'],
  ['`npm test`, 10 %', 'npm-test-10-'],
  ['1. One node', '1-one-node'],
  ['Zwei Wörter_hier', 'zwei-wörter_hier'],
])('the anchor of "%s" is %s', (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});

function listPages(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listPages(file);
    return file.endsWith('.md') ? [file] : [];
  });
}

function readText(page: string): string {
  return readFileSync(path.join(root, page), 'utf8');
}

/** Returns the text without code blocks, whose brackets and `#` are neither links nor headings. */
function readProse(page: string): string {
  return readText(page).replace(/^( *)```.*?^\1```$/gms, '');
}

/** The address of a file or folder of this repository, as the README of the package links to it. */
const HOME = /^https:\/\/github\.com\/floodgate-limiter\/floodgate\/(?:blob|tree)\/main\//;

/** Returns the targets of links and images, without those outside the repository. */
function linksOf(page: string, prose = readProse(page)): string[] {
  const targets = [...prose.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)];
  const toRoot = `${path.posix.relative(path.posix.dirname(page), '.') || '.'}/`;
  return targets
    .map(([, target = '']) => target.replace(HOME, toRoot))
    .filter((target) => !/^[a-z]+:/.test(target));
}

function resolves(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
  if (target.startsWith('..') || !existsSync(path.join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** Returns the anchors of a page. A repeated heading gets a number, as on GitHub. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return headingsOf(page).map(({ anchor }) => {
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function sectionsOf(page: string): string[] {
  return headingsOf(page)
    .filter(({ depth }) => depth === 2)
    .map(({ anchor }) => anchor);
}

function headingsOf(page: string): { depth: number; anchor: string }[] {
  return [...readProse(page).matchAll(/^(#+) (.+)$/gm)].map(([, marks = '', title = '']) => ({
    depth: marks.length,
    anchor: anchorOf(title),
  }));
}

/** Returns the anchor by GitHub's rule: lower case, no punctuation, a hyphen for each space. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

function contentsOf(page: string): string {
  return /^\*\*Contents:\*\*.*?(?=^## )/ms.exec(readProse(page))?.[0] ?? '';
}
