/**
 * A word that the code and the docs do not use, with the standard terms to use instead. `literal` matches its allowed
 * uses, in which it has its everyday or its technical meaning.
 *
 * @typedef {{ word: RegExp, instead: string, literal?: RegExp }} BannedWord
 */

/** English texts that visitors read: they are everyday language. */
const VISITOR_TEXT = /\ben: ['"].*/;

/** @type {readonly BannedWord[]} */
const BANNED_WORDS = [
  {
    word: /\b(asks?|asked|asking)\b/i,
    instead: 'send, call, request or read',
    // The redirection of Redis, and a key of the UI texts.
    literal: /\bASK\b|t\('asked'/g,
  },
  {
    word: /\b(tells?|told|telling)\b/i,
    instead: 'publish, notify, report or return',
    // A field of a lab run.
    literal: /\btells[.:]|['`]tells['`]|, tells \}/g,
  },
  { word: /\b(hears?|heard|hearing)\b/i, instead: 'subscribe, receive or handle' },
  {
    word: /\b(looks|looked)\b/i,
    instead: 'peek, read or check',
    // A visible appearance, and a field of an audit report.
    literal: /\blooks (like|open|torn)\b|\blooked:|\{ ?looked\b/g,
  },
  {
    word: /\b(whoever|somebody|nobody)\b/i,
    instead: 'the caller, the node, the user, or no caller',
    // A value that stands for an unknown name.
    literal: /'nobody'/g,
  },
  {
    word: /\b(look|looking)\b/i,
    instead: 'peek, read, check or seem',
    // A text of a policy.
    literal: /looking up merchants/g,
  },
  {
    word: /\bforg(et|ets|ot|otten|etting)\b/i,
    instead: 'ack, delete, drop or evict',
    // A command of Redis Cluster.
    literal: /cluster forget/g,
  },
  { word: /\bcoalesc/i, instead: 'batch or merge', literal: /coalesce\(/g },
  { word: /\bsteer/i, instead: 'override or limit' },
  { word: /\bcatalog/i, instead: 'policies or coupons', literal: /system catalog/g },
  {
    word: /\b(debts?|owes|owed)\b/i,
    instead: 'stock compensation',
    // A field of the audit.
    literal: /[."_]owed\b|\bowed[,:]|- owed\b/g,
  },
  { word: /\bin force\b/i, instead: 'effective' },
  { word: /\b(standing|fates?|news)\b/i, instead: 'active, outcome or message' },
  { word: /\bbeside\b/i, instead: 'next to' },
  {
    word: /\b(place|part|turn)\b(?= =>|\) =>|\] (of|=)|\]: )/,
    instead: 'index, slot or round',
    // A ticket's turn, and a piece of a text.
    literal: /\(turn\) =>|\(?\bpart\)? =>|\bpart\]? of\b/g,
  },
  { word: /\b(bury|buried|buries)\b/i, instead: 'dead-letter' },
  { word: /\bdistrust/i, instead: 'markForRebuild' },
  { word: /\b(MOST|LEAST)_[A-Z]/, instead: 'MAX_ or MIN_' },
  {
    word: /\b(hearTuned|tuned|tuning)\b/i,
    instead: 'override',
    // A Redis channel, whose name must not change between releases.
    literal: /\$\{PREFIX\}tuned\b/g,
  },
  { word: /\bpatience\b/i, instead: 'timeout' },
  { word: /\bof one mind\b/i, instead: 'consistent' },
];

/**
 * Finds the banned words of a line, at most once each, without their literal uses.
 *
 * @param {string} line
 * @returns {{ found: string, instead: string }[]}
 */
export function findBannedWords(line) {
  const text = line.replace(VISITOR_TEXT, '');
  return BANNED_WORDS.flatMap(({ word, instead, literal }) => {
    const [found] = word.exec(literal ? text.replace(literal, ' ') : text) ?? [];
    return found === undefined ? [] : [{ found, instead }];
  });
}
