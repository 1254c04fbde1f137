import { expect, test } from 'vitest';
import { messages } from './messages';

test('every text exists in both languages with the same placeholders', () => {
  const en = new Map(textsOf(messages.en));
  const zh = new Map(textsOf(messages.zh));
  expect([...zh.keys()]).toEqual([...en.keys()]);
  for (const [name, text] of en) {
    expect(zh.get(name), name).toBeTruthy();
    expect(placeholders(zh.get(name) ?? ''), name).toEqual(placeholders(text));
  }
});

interface Rule {
  word: RegExp;
  /** The names of texts that the rule is for. Default: all. */
  only?: (name: string) => boolean;
}

/** The terms of docs/design.md: words that no text of the namespaces may have. */
const forbidden: Record<keyof typeof messages, Rule[]> = {
  en: [
    // Words of the back end, for shoppers.
    {
      only: isForShoppers,
      word: /\b(gates?|ledgers?|windows?|paces?|lookups?|tokens?|let in|paid nothing|locked|admitted|den(y|ied))\b/i,
    },
    // One term for each concept.
    { word: /\b((un)?ban(s|ned|ning)?|throttled?|rate limit exceeded|customers?|login)\b/i },
    { word: /\b(emails?|(?<!e[-\u2011])mail address|shops?|vouchers?)\b/i },
    // Personified parts, and the words of engineers.
    { word: /\b((no|every)body|in order|stands)\b/i },
    { word: /\b(please|oops|whoops|sorry|successfully|invalid)\b/i },
  ],
  zh: [
    { only: isForShoppers, word: /闸|账本|窗口|令牌|阈值|入库|写入|判定|网络地址/ },
    { word: /屏蔽|拉黑|禁言|禁封|锁定/ },
    { word: /稍候再|点击这里|与您无关|代金券|门店|店铺|顾客/ },
    { word: /你/ },
    // Two words with one meaning.
    { word: /销售管理|拒绝者|限流层级|人群|钱包|触发限额/ },
  ],
};

function isForShoppers(name: string): boolean {
  return !/^(lab|ops)\w*\./.test(name);
}

test.each(['en', 'zh'] as const)('%s: no text has a forbidden word', (language) => {
  const found = textsOf(messages[language]).flatMap(([name, text]) =>
    forbidden[language]
      .filter(({ only }) => !only || only(name))
      .flatMap(({ word }) => word.exec(plain(text))?.[0] ?? [])
      .map((word) => `${name}: ${word}`),
  );
  expect(found).toEqual([]);
});

test.each(['en', 'zh'] as const)(
  '%s: no text has spaces at an end, two spaces, or straight quotes',
  (language) => {
    const found = named(language, /^\s|\s$| {2}|'|"|\.\.\./);
    // In Chinese, a period of time brings the space that its number needs after a character.
    expect(found.filter(([name]) => language !== 'zh' || name !== 'duration.period')).toEqual([]);
  },
);

test('Chinese punctuation is full-width and has no spaces around it', () => {
  expect(
    named(
      'zh',
      /[\u4e00-\u9fff][,;:?!()]|[,;:?!()][\u4e00-\u9fff]|[，。：；？！（）、…] | [，。：；？！（）、…]/,
    ),
  ).toEqual([]);
});

test('Chinese characters have a space before and after Latin letters and digits', () => {
  expect(named('zh', /[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]/)).toEqual([]);
});

test('a button, heading or sentence in English starts with a capital letter or a value', () => {
  const sentences = textsOf(messages.en).filter(([, text]) => /[.!?]$/.test(text));
  expect(sentences.filter(([, text]) => /^[a-z]/.test(text))).toEqual([]);
});

/** Returns the texts of a language that match, without their placeholders. */
function named(language: 'en' | 'zh', pattern: RegExp): [name: string, text: string][] {
  return textsOf(messages[language]).filter(([, text]) => pattern.test(plain(text)));
}

function textsOf(tree: object, prefix = ''): [name: string, text: string][] {
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'string') return [[prefix + key, value] as [string, string]];
    return typeof value === 'object' && value !== null ? textsOf(value, `${prefix}${key}.`) : [];
  });
}

/** Returns a text without tags, and with one sign instead of each simple placeholder. */
function plain(text: string): string {
  return text
    .replaceAll(/<(\w+)><\/\1>/g, '\u25a1')
    .replaceAll(/<\/?\w+>/g, '')
    .replaceAll(/\{\w+(, number)?\}/g, '\u25a1');
}

/** Returns the placeholder names of a message. */
function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\s*[,}]/g)].map(([, name]) => name ?? ''))].sort();
}
