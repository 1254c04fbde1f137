import { expect, type Locator, type Page } from '@playwright/test';
import axe from 'axe-core';
import { isFull } from '../test/property';

/** The axe rules to check. Default: all. */
interface ChosenRules {
  only?: string[];
}

/** The axe rules that read colours. All others have the same result in both themes. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Expects no axe violation in both themes, on one page load. */
export async function expectNoViolations(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without motion, colours change immediately, so axe reads no intermediate colour.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectNoViolationOf(page, colorScheme === 'dark' ? { only: colorRules } : {});
  }
}

/**
 * Runs axe in the page. No page has a frame of another origin, so one run covers it. The source of axe is sent once a
 * page: sending it takes a third of the CPU time of a check.
 */
async function expectNoViolationOf(page: Page, rules: ChosenRules): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async ({ only }) => {
    const results = await window.axe.run({
      resultTypes: ['violations'],
      ...(only && { runOnly: only }),
    });
    return results.violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.map(({ html }) => html),
    }));
  }, rules);
  expect(violations, `${page.url()} ${JSON.stringify(rules)}`).toEqual([]);
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** The maximum sum of all shifts, without a unit. */
const MAX_SHIFT = 0.01;

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

/** Deletes the shifts so far. */
export const deleteShifts = (page: Page): Promise<unknown> => page.evaluate('window.shifts.length = 0');

/** Expects that the page has not moved since it was opened or the shifts were deleted. */
export async function expectNoShift(page: Page): Promise<void> {
  const moved = await page.evaluate('JSON.stringify(window.shifts)');
  expect(await hasMoved(page), `${page.url()} ${moved}`).toBe(false);
}

/** Returns true if the page has moved since it was opened or the shifts were deleted. */
export function hasMoved(page: Page): Promise<boolean> {
  return page.evaluate(`window.shifts.reduce((sum, { value }) => sum + value, 0) > ${MAX_SHIFT}`);
}

/** Returns by how many pixels a page is too wide, when it has been drawn in its size. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    // A part that measures itself changes in the frame after.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
}

/** The least width and height of what a finger presses, in CSS pixels. */
const MIN_TARGET_PX = 44;

/**
 * Returns the controls of a page that a finger misses: less than 44 px wide or high, with their label and the parts that
 * extend them. The one exception is a link within a text, whose line it shares with words that are no link.
 */
export function smallTargetsOf(page: Page): Promise<string[]> {
  return page.evaluate(listSmallTargets, MIN_TARGET_PX);
}

/** Runs in the page. */
function listSmallTargets(least: number): string[] {
  const reach = least / 2 - 1;
  const controls = 'a[href], button, input, select, textarea, summary, [role="button"], [role="tab"]';

  const hasText = (nodes: Iterable<Node>) => [...nodes].some(({ textContent }) => textContent?.trim());
  function isInText(control: Element): boolean {
    if (control.localName !== 'a' || getComputedStyle(control).display !== 'inline') return false;
    const siblings = [...(control.parentNode?.childNodes ?? [])].filter((node) => node !== control);
    return hasText(siblings);
  }

  /** Returns true if a press at this distance from the middle of the control reaches it. */
  function reaches(control: Element, { right, down }: { right: number; down: number }): boolean {
    const { x, y, width, height } = control.getBoundingClientRect();
    const hit = document.elementFromPoint(x + width / 2 + right, y + height / 2 + down);
    if (!hit) return false;
    const labels = control instanceof HTMLInputElement ? [...(control.labels ?? [])] : [];
    return [control, ...labels].some((part) => part.contains(hit));
  }

  function isSmall(control: Element): boolean {
    const { width, height } = control.getBoundingClientRect();
    // Half a pixel is a rounded font size.
    if (width >= least - 0.5 && height >= least - 0.5) return false;
    control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    return [
      { right: 0, down: -reach },
      { right: 0, down: reach },
      { right: -reach, down: 0 },
      { right: reach, down: 0 },
    ].some((at) => !reaches(control, at));
  }

  return [...document.querySelectorAll(controls)]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !isInText(control))
    .filter((control) => control.getBoundingClientRect().bottom + window.scrollY > 0 && isSmall(control))
    .map((control) => {
      const { width, height } = control.getBoundingClientRect();
      return `${Math.round(width)} × ${Math.round(height)}: ${control.outerHTML.slice(0, 150)}`;
    });
}

/** Presses Tab until the element has the focus. Fails if it is unreachable. */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  await expect(target).toBeFocused();
}

/** Delays the scripts that the HTML of a path does not name, because the page loads them later. Returns their release. */
export async function holdLateScripts(page: Page, path: string): Promise<() => void> {
  const html = await (await page.request.get(path)).text();
  const { released, release } = createGate();
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    if (!html.includes(new URL(route.request().url()).pathname)) await released;
    await route.continue();
  });
  return release;
}

/** Delays all scripts of the next page, so that it is not interactive. Returns their release. */
export async function holdScripts(page: Page): Promise<() => void> {
  const { released, release } = createGate();
  await page.route('**/_next/static/**/*.js', async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

function createGate(): { released: Promise<void>; release: () => void } {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { released, release };
}

/**
 * Returns the items that one of several rounds checks: in full runs all of them. In `npm test` each round has other ones, and
 * all rounds together have each item once.
 */
export function shareOf<Item>(items: readonly Item[], { round, rounds }: { round: number; rounds: number }) {
  return isFull ? items : items.filter((_item, index) => index % rounds === round);
}
