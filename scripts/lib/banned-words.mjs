/**
 * A word that the code and the docs do not use, with the standard terms to use instead. `literal` matches its allowed
 * uses, in which it has its everyday or its technical meaning.
 *
 * @typedef {{ word: RegExp, instead: string, literal?: RegExp }} BannedWord
 */

/** @type {readonly BannedWord[]} */
export const BANNED_WORDS = [
  {
    word: /\b(asks?|asked|asking)\b/i,
    instead: 'send, call, request or read',
    // Redis's redirection ASK, a database column, people, and the texts that visitors read.
    literal: /'ASK'|\bASK,|ask_again_at|askAgainAt|(they|and|to|be|again|for) ask(s|ed)?\b.*|asked (for|to)\b|\bAsk for\b|you ask\b|t\('asked'/gi,
  },
  { word: /\b(tells?|told|telling)\b/i, instead: 'publish, notify, report or return', literal: /\btells\b(?=[:},.\[])|\{[^}]*\btells\b/g },
  { word: /\b(hears?|heard|hearing)\b/i, instead: 'subscribe, receive or handle' },
  { word: /\b(looks|looked)\b/i, instead: 'peek, read or check', literal: /looked: |\{ looked|\$\{looked|looks (like|open|torn)|of \$\{looked/g },
  { word: /\b(whoever|somebody)\b/i, instead: 'the caller, the node or the user' },
  { word: /\b(bury|buried|buries)\b/i, instead: 'dead-letter' },
  { word: /\bdistrust/i, instead: 'markForRebuild' },
  { word: /\b(MOST|LEAST)_[A-Z]/, instead: 'MAX_ or MIN_' },
  { word: /\b(hearTuned|tuned|tuning)\b/i, instead: 'override' },
  { word: /\bpatience\b/i, instead: 'timeout' },
  { word: /\bof one mind\b/i, instead: 'consistent' },
];
