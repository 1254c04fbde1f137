/** Returns the text between two sentences: a space, in Chinese none. */
export function sentenceGap(language: string): '' | ' ' {
  return language === 'zh' ? '' : ' ';
}
