import type { Metadata } from 'next';
import type { Language } from '../_trpc/types';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

interface PageMetadata {
  /** Of this page, without a query. */
  path: string;
  /** As the page got it. */
  searchParams: SearchParams;
  /** Absent: the site's own. */
  title?: string;
  description: string;
}

const languages = ['en', 'zh'] as const satisfies Language[];

/**
 * What search engines and previews are told of a page. Each language has an address of its own; the one without a
 * language speaks the visitor's, so it is the default and no copy of another.
 */
export async function pageMetadata({
  path,
  searchParams,
  title,
  description,
}: PageMetadata): Promise<Metadata> {
  const { lang } = await searchParams;
  const asked = languages.find((language) => language === lang);
  const canonical = asked ? inLanguage(path, asked) : path;
  const alternates = Object.fromEntries(languages.map((language) => [language, inLanguage(path, language)]));
  return {
    // A title that is there and undefined would take away the site's own.
    ...(title !== undefined && { title }),
    description,
    alternates: { canonical, languages: { ...alternates, 'x-default': path } },
  };
}

function inLanguage(path: string, language: Language): string {
  return `${path}?lang=${language}`;
}
