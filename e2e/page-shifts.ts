import type { Page } from '@playwright/test';
import { expect } from './fixtures';

/** The maximum sum of all shifts, without a unit. */
export const MAX_SHIFT = 0.01;

/** Collects the shifts of each page in `window.shifts`, each with the text of what moved. */
export function recordShifts(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const shifts: { value: number; moved: string[] }[] = [];
    Reflect.set(window, 'shifts', shifts);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        // A page may answer a click by moving, as browsers count, but not a reply that arrives later.
        if (Reflect.get(entry, 'hadRecentInput')) continue;
        const sources: { node?: Node }[] = Reflect.get(entry, 'sources');
        const moved = sources.map(({ node }) => (node?.textContent ?? '').slice(0, 40));
        shifts.push({ value: Reflect.get(entry, 'value'), moved });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

type Shift = { value: number; moved: string[] };

export const shiftsOf = (page: Page): Promise<Shift[]> => page.evaluate('window.shifts');
export const totalOf = (shifts: readonly Shift[]) => shifts.reduce((sum, { value }) => sum + value, 0);

/** Deletes the shifts so far. */
export const deleteShifts = (page: Page): Promise<unknown> => page.evaluate('window.shifts.length = 0');

export async function expectNoShift(page: Page, path: string): Promise<void> {
  const shifts = await shiftsOf(page);
  expect(totalOf(shifts), `${path} ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(MAX_SHIFT);
}
