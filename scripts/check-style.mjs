/**
 * `node scripts/check-style.mjs`: checks the measurable rules of CONTRIBUTING.md: lengths of files and functions, docstrings
 * of exported functions, banned words, and lengths of commit subjects. Prints each violation, then exits with 1. Part of
 * `npm run check`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { findBannedWords } from './lib/banned-words.mjs';
import { repoRoot } from './lib/repo-root.mjs';

process.chdir(repoRoot);

const FOLDERS = [
  ...['.github', 'app', 'bench', 'deploy', 'docs', 'drills'],
  ...['e2e', 'examples', 'lua', 'scripts', 'server', 'test'],
];
const MAX_FILE_LINES = 300;
const MAX_MEDIAN_LINES = 60;
const MAX_FUNCTION_LINES = 50;
/** The words in a docstring that introduce the reason for a longer function. */
const REASON_FOR_LENGTH = /Longer\s+than\s+50\s+lines\s+because/;
/** A docstring that begins with one of these words does not state what something is or does. */
const VAGUE_BEGINNING = /\/\*\*[\s*]*(What|How|Who|Whether|Where|As|So that)\b/g;
const MIN_DOCUMENTED_SHARE = 0.95;
const MAX_SUBJECT_LENGTH = 60;
/** The subjects of this commit and its ancestors are not checked: the rule is younger. */
const RULE_SINCE = 'd321feca1894a6d453a8738ff6584ea96a94d060';

const problems = [
  ...checkLengths(),
  ...checkFunctionLengths(),
  ...checkDocstrings(),
  ...checkWords(),
  ...checkSubjects(),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Lists the sources and pages of the project, without generated ones. */
function listFiles(/** @type {RegExp} */ name) {
  const nested = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  return [...readdirSync('.'), ...nested].filter(
    (file) => name.test(file) && !/node_modules|^server\/db\/migrations\/|\/\.next\//.test(file),
  );
}

/** Lists the sources of the product: no tests and nothing that only tests or benchmarks use. */
function listProductFiles() {
  return listFiles(/^(server|app|lua)\/.*\.(ts|tsx|lua|css)$/).filter((file) => !/\.test\.tsx?$/.test(file));
}

/** @returns {string[]} */
function checkLengths() {
  const lengths = listProductFiles().map((file) => ({
    file,
    lines: readFileSync(file, 'utf8').split('\n').length - 1,
  }));
  // The upper middle value, which is the stricter one.
  const medianLines = lengths.map(({ lines }) => lines).toSorted((a, b) => a - b)[lengths.length >> 1] ?? 0;
  return [
    ...lengths
      .filter(({ lines }) => lines > MAX_FILE_LINES)
      .map(({ file, lines }) => `${file}: ${lines} lines, at most ${MAX_FILE_LINES} are allowed`),
    ...(medianLines > MAX_MEDIAN_LINES
      ? [`the median file has ${medianLines} lines, at most ${MAX_MEDIAN_LINES} are allowed`]
      : []),
  ];
}

/**
 * Counts the lines of each function without those of its inner functions and its markup: a factory and a component are as
 * long as what they contain.
 *
 * @returns {string[]}
 */
function checkFunctionLengths() {
  /** @type {string[]} */
  const problems = [];
  for (const file of listFiles(/^(server|app|scripts|drills)\/.*\.(ts|tsx|mjs)$/)) {
    if (/\.test\.tsx?$/.test(file)) continue;
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    /** @param {ts.Node} node */
    const visit = (node) => {
      if (isFunction(node)) {
        const lines = countLines(node) - countContentLines(node);
        if (lines > MAX_FUNCTION_LINES && !REASON_FOR_LENGTH.test(docstringOf(node) ?? ''))
          problems.push(`${at(node)}: a function of ${lines} lines: split it, or state the reason`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return problems;
}

/**
 * Counts the lines of the outermost functions and markup within a node.
 *
 * @param {ts.Node} node
 * @returns {number}
 */
function countContentLines(node) {
  let lines = 0;
  ts.forEachChild(node, (child) => {
    const isContent = isFunction(child) || ts.isJsxElement(child) || ts.isJsxFragment(child);
    lines += isContent && countLines(child) >= 3 ? countLines(child) : countContentLines(child);
  });
  return lines;
}

/** @param {ts.Node} node */
function isFunction(node) {
  return (
    (ts.isFunctionDeclaration(node) ||
      ts.isFunctionExpression(node) ||
      ts.isArrowFunction(node) ||
      ts.isMethodDeclaration(node)) &&
    node.body !== undefined
  );
}

/** @param {ts.Node} node */
function countLines(node) {
  const file = node.getSourceFile();
  return lineAt(file, node.end) - lineAt(file, node.getStart()) + 1;
}

/** @returns {string[]} */
function checkDocstrings() {
  /** @type {string[]} */
  const problems = [];
  /** @type {string[]} */
  const undocumented = [];
  let functions = 0;
  for (const file of listProductFiles().filter((name) => /\.tsx?$/.test(name))) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    for (const { index, 1: word } of source.text.matchAll(VAGUE_BEGINNING))
      problems.push(`${file}:${lineAt(source, index)}: a docstring begins with "${word}"`);
    ts.forEachChild(source, (node) => {
      const text = docstringOf(node);
      // A component or a page is described by its props and its markup.
      if (!isExportedFunction(node) || file.endsWith('.tsx')) return;
      functions += 1;
      if (text === undefined) undocumented.push(at(node));
    });
  }
  const share = 1 - undocumented.length / functions;
  if (share < MIN_DOCUMENTED_SHARE) {
    problems.push(
      `only ${Math.round(share * 100)} % of the exported functions have a docstring:`,
      ...undocumented,
    );
  }
  return problems;
}

/** @param {ts.Node} node */
function at(node) {
  const file = node.getSourceFile();
  return `${file.fileName}:${lineAt(file, node.getStart())}`;
}

/**
 * @param {ts.SourceFile} file
 * @param {number} position
 */
function lineAt(file, position) {
  return file.getLineAndCharacterOfPosition(position).line + 1;
}

/**
 * @param {ts.Node} node
 * @returns {string | undefined}
 */
function docstringOf(node) {
  const [first] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return first && (ts.getTextOfJSDocComment(first.comment) ?? '').trim();
}

/** @param {ts.Node} node */
function isExportedFunction(node) {
  return (
    ts.isFunctionDeclaration(node) &&
    Boolean(node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) &&
    // An overload has no body. Its implementation is checked.
    node.body !== undefined
  );
}

/** @returns {string[]} */
function checkWords() {
  // The list and its test contain the words.
  const sources = listFiles(/\.(ts|tsx|mjs|lua|md|css)$|^(deploy|\.github)\/.*\.(yml|conf|json)$/).filter(
    (file) => !file.startsWith('scripts/lib/banned-words.'),
  );
  return sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        findBannedWords(line).map(({ found, instead }) => `${file}:${index + 1}: ${found}: write ${instead}`),
      ),
  );
}

/** @returns {string[]} Empty where the history is not there, as in a shallow clone. */
function checkSubjects() {
  try {
    execFileSync('git', ['merge-base', '--is-ancestor', RULE_SINCE, 'HEAD'], { stdio: 'ignore' });
  } catch {
    return [];
  }
  const subjects = execFileSync('git', ['log', '--no-merges', '--format=%h %s', `${RULE_SINCE}..HEAD`], {
    encoding: 'utf8',
  });
  return subjects
    .split('\n')
    .filter((line) => line.slice(line.indexOf(' ') + 1).length > MAX_SUBJECT_LENGTH)
    .map((line) => `commit ${line}: more than ${MAX_SUBJECT_LENGTH} characters`);
}
