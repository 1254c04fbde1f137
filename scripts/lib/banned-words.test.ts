import { expect, test } from 'vitest';
import { findBannedWords } from './banned-words.mjs';

test.each([
  ['a node asks Redis', 'asks', 'send'],
  ['the gate tells the wallet', 'tells', 'publish'],
  ['a node hears of an order', 'hears', 'subscribe'],
  ['the limiter looks at a window', 'looks', 'peek'],
  ['Whoever waits is served', 'Whoever', 'the caller'],
  ['const bury = () => undefined;', 'bury', 'dead-letter'],
  ['distrustGate(couponId)', 'distrust', 'markForRebuild'],
  ['const MOST_CALLS = 4;', 'MOST_C', 'MAX_'],
  ['a tuned limit', 'tuned', 'override'],
  ['its patience is 250 ms', 'patience', 'timeout'],
  ['two audits are of one mind', 'of one mind', 'consistent'],
  ['calls follow ASK, and the client asks again', 'asks', 'send'],
  ['the limiter must look again', 'look', 'peek'],
  ['a node forgets an entry', 'forgets', 'ack'],
  ['the coalesced calls', 'coalesc', 'batch'],
  ['operators steer a limit', 'steer', 'override'],
  ['the catalogue of policies', 'catalog', 'policies'],
  ['stock that is owed to the gate', 'owed', 'stock compensation'],
  ['the limit in force', 'in force', 'effective'],
  ['the fate of a call', 'fate', 'outcome'],
  ['the node beside it', 'beside', 'next to'],
  ['levels.map((level, place) => keys[place])', 'place', 'index'],
])('%s', (line, found, instead) => {
  expect(findBannedWords(line)).toEqual([{ found, instead: expect.stringContaining(instead) }]);
});

test.each([
  'calls follow ASK and MOVED',
  "t('asked', { attempts })",
  'alter table payments add column ask_again_at timestamptz',
  "{ en: 'Ask for the bean of the week.' }",
  'tells: { refused: null }',
  "AlgorithmRun['tells']['refused']",
  'runs.map(({ algorithm, tells }) => tells.refused)',
  'out: `keys`, `tells`',
  'a link that looks like a button',
  'const max = sold - owed - refused;',
  'sql`coalesce(sum(version), 0)`',
  'turns.map((turn) => turn.payload)',
  'const { looked, unsettled } = report;',
  `\${looked - unsettled} of \${looked} sales`,
  'looked: couponIds.length,',
  `the channel \${PREFIX}tuned`,
])('a literal use is allowed: %s', (line) => {
  expect(findBannedWords(line)).toEqual([]);
});
