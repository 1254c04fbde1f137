import { expect, type Locator, type Page } from '@playwright/test';

/** Opens a mistake on the lab's page, and returns its region. */
export async function openMistake(page: Page, title: string | RegExp): Promise<Locator> {
  await page.getByRole('main').getByRole('button', { name: title }).click();
  const card = page.getByRole('region', { name: title });
  await expect(card.getByRole('heading', { level: 3 })).toBeFocused();
  return card;
}
