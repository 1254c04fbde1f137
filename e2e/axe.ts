import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** The rules to check. Default: all. */
export interface ChosenRules {
  only?: string[];
  but?: string[];
}

/**
 * Runs axe in the page. No page has a frame of another origin, so one run covers it. The source of axe is sent once a
 * page: sending it takes a third of the CPU time of a check.
 */
export async function findViolations(page: Page, rules: ChosenRules = {}) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async ({ only, but = [] }) => {
    const { violations } = await window.axe.run({
      resultTypes: ['violations'],
      ...(only && { runOnly: only }),
      rules: Object.fromEntries(but.map((rule) => [rule, { enabled: false }])),
    });
    return violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ html }) => html) }));
  }, rules);
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
