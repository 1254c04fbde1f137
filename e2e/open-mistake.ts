import type { Locator, Page } from '@playwright/test';

/** Opens a mistake on the lab's page, and returns its region. */
export async function openMistake(page: Page, title: string | RegExp): Promise<Locator> {
  const card = page.getByRole('region', { name: title });
  await card.getByRole('heading', { level: 4 }).click();
  return card;
}
