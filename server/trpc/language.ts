/** The supported languages. The first is the fallback. */
export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

/** A text in every language. */
export type Localized = Readonly<Record<Language, string>>;
