import { expect, test } from 'vitest';
import { pageMetadata } from './page-metadata';

const page = { path: '/merchants', title: 'Merchants', description: 'Who takes part.' };
const languages = {
  en: '/merchants?lang=en',
  zh: '/merchants?lang=zh',
  'x-default': '/merchants',
};

test.each([
  [{}, '/merchants'],
  [{ lang: 'zh' }, '/merchants?lang=zh'],
  [{ lang: 'fr', q: 'tea' }, '/merchants'],
  [{ lang: ['zh', 'en'] }, '/merchants'],
])('a page requested with %j has the canonical address %s', async (query, canonical) => {
  const { alternates } = await pageMetadata({ ...page, searchParams: Promise.resolve(query) });
  expect(alternates).toEqual({ canonical, languages });
});
