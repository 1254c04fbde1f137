import type { Metadata } from 'next';
import type { Language } from '../_trpc/types';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

interface PageMetadata {
  /** The path without a query. */
  path: string;
  /** The query of the page's URL. */
  searchParams: SearchParams;
  /** Absent: the site's title. */
  title?: string;
  description: string;
}

const languages = ['en', 'zh'] as const satisfies Language[];

/**
 * Returns the metadata for search engines and previews. Each language has its own address. The address without a
 * language uses the visitor's, so it is `x-default`.
 */
export async function pageMetadata({
  path,
  searchParams,
  title,
  description,
}: PageMetadata): Promise<Metadata> {
  const { lang } = await searchParams;
  const requested = languages.find((language) => language === lang);
  const canonical = requested ? inLanguage(path, requested) : path;
  const alternates = Object.fromEntries(languages.map((language) => [language, inLanguage(path, language)]));
  return {
    // An explicit `undefined` would remove the site's title.
    ...(title !== undefined && { title }),
    description,
    alternates: { canonical, languages: { ...alternates, 'x-default': path } },
  };
}

function inLanguage(path: string, language: Language): string {
  return `${path}?lang=${language}`;
}
