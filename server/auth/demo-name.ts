import { randomInt } from 'node:crypto';
import type { Language } from '../trpc/context';

const qualities: Record<Language, readonly string[]> = {
  en: [
    'Brisk',
    'Calm',
    'Cheerful',
    'Curious',
    'Gentle',
    'Lucky',
    'Merry',
    'Nimble',
    'Quiet',
    'Sunny',
    'Swift',
    'Witty',
  ],
  zh: [
    '机灵的',
    '悠闲的',
    '快乐的',
    '好奇的',
    '温柔的',
    '幸运的',
    '开朗的',
    '敏捷的',
    '安静的',
    '阳光的',
    '轻快的',
    '聪明的',
  ],
};
const animals: Record<Language, readonly string[]> = {
  en: [
    'Badger',
    'Crane',
    'Dolphin',
    'Finch',
    'Gecko',
    'Heron',
    'Lynx',
    'Magpie',
    'Otter',
    'Panda',
    'Robin',
    'Tapir',
  ],
  zh: ['小獾', '白鹤', '海豚', '燕雀', '壁虎', '白鹭', '猞猁', '喜鹊', '水獭', '熊猫', '知更鸟', '小貘'],
};

/** Returns a random name such as "Curious Otter 48213", one of 14 million per language. */
export function randomDemoName(language: Language): string {
  const space = language === 'en' ? ' ' : '';
  return `${pickOne(qualities[language])}${space}${pickOne(animals[language])} ${randomInt(100_000)}`;
}

function pickOne(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? '';
}
