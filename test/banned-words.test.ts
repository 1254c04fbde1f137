import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../server/paths';

/** Words that the code and the docs do not use, with the standard terms to use instead. */
const BANNED_WORDS: [word: RegExp, instead: string][] = [
  [/(?<!t\(')\b[Aa]sk(s|ed|ing)?\b/, 'send, call, request or read'],
  [/\b([Tt]ell|[Tt]ells(?!['`.:,]| \})|[Tt]old|[Tt]elling)\b/, 'publish, notify, report or return'],
  [/\b([Hh]ears?|[Hh]eard|[Hh]earing)\b/, 'subscribe, receive or handle'],
  [/(?<!\{ ?)\b[Ll]ook(s|ed(?![:,])|ing)?\b(?! (like|open|torn|up merchants))/, 'peek, read, check or seem'],
  [/\b(whoever|somebody|nobody(?!'))\b/i, 'the caller, the node, the user, or no caller'],
  [/(?<!cluster )\bforg(et|ets|ot|otten|etting)\b/i, 'ack, delete, drop or evict'],
  [/\bcoalesc(?!e\()/i, 'batch or merge'],
  [/\bsteer/i, 'override or limit'],
  [/(?<!system )\bcatalog/i, 'policies or coupons'],
  [/(?<![."_]|- )\b(debts?|owes|owed(?![,:]))\b/i, 'stock compensation'],
  [/\bin force\b/i, 'effective'],
  [/\b(standing|fates?|news)\b/i, 'active, outcome or message'],
  [/\bbeside\b/i, 'next to'],
  [/\bplace\b(?= =>|\) =>|\] =)/, 'index'],
  [/\b(bury|buried|buries)\b/i, 'dead-letter'],
  [/\bdistrust/i, 'markForRebuild'],
  [/\b(MOST|LEAST)_[A-Z]/, 'MAX_ or MIN_'],
  [/(?<!PREFIX\})\b(hearTuned|tuned|tuning)\b/i, 'override'],
  [/\bpatience\b/i, 'timeout'],
  [/\bof one mind\b/i, 'consistent'],
];
const FOLDERS = [
  '.github',
  'app',
  'bench',
  'deploy',
  'docs',
  'drills',
  'e2e',
  'examples',
  'lua',
  'scripts',
  'server',
  'test',
];
const SOURCE = /\.(ts|tsx|mjs|lua|md|css)$|^(deploy|\.github)\/.*\.(yml|conf|json)$/;
const GENERATED = /node_modules|\.next\/|^server\/db\/migrations\/|^test\/banned-words\./;

test('comments, names and docs use the standard terms', () => {
  const found = listSources().flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => findWords(line).map((problem) => `${file}:${index + 1}: ${problem}`)),
  );
  expect(found).toEqual([]);
});

test.each([
  ['a node asks Redis, which answers ASK', 'asks: write send, call, request or read'],
  ['Whoever waits is served', 'Whoever: write the caller, the node, the user, or no caller'],
  ['const MOST_CALLS = 4;', 'MOST_C: write MAX_ or MIN_'],
])('%s: is found', (line, problem) => {
  expect(findWords(line)).toEqual([problem]);
});

/** Returns the sources and pages of the project, without generated ones. */
function listSources(): string[] {
  const nested = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  );
  return [...readdirSync(root), ...nested].filter((file) => SOURCE.test(file) && !GENERATED.test(file));
}

/** Returns the banned words of a line, except in English texts for visitors, which are everyday language. */
function findWords(line: string): string[] {
  const text = line.replace(/\ben: ['"].*/, '');
  return BANNED_WORDS.flatMap(([word, instead]) => {
    const [found] = word.exec(text) ?? [];
    return found === undefined ? [] : [`${found}: write ${instead}`];
  });
}
