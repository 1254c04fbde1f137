import { type APIRequestContext, type APIResponse, expect, type Locator, type Page } from '@playwright/test';

/** The paths of the operators' pages. */
export const operatorPaths = ['/ops', '/ops/limits', '/ops/who', '/ops/alerts', '/ops/sales'] as const;

/** Locates parts of the operators' pages by roles and labels. */
export function opsPage(page: Page) {
  const main = page.getByRole('main');

  return {
    /** Signs in as the demo's operator and opens a section. */
    async open(path: (typeof operatorPaths)[number]): Promise<void> {
      // A store that was just restarted may refuse the first call.
      await expect(async () => {
        expect((await signInOperator(page.request)).status()).toBe(200);
      }).toPass();
      await page.goto(path);
      await expect(main.getByRole('heading', { level: 1 })).toBeVisible();
    },

    /** The row of a level in the table of limits. */
    level: (policy: string, level: string): Locator =>
      main
        .filter({ has: page.getByRole('heading', { level: 1, name: 'Limits' }) })
        .getByRole('table', { name: 'Limits' })
        .getByRole('row', { name: `${policy} ${level}` }),

    /** The table of the overview. */
    levels: main.getByRole('table', { name: 'Limits' }),

    /** The button that opens a row of the overview. */
    opener: (policy: string, level: string): Locator =>
      main
        .getByRole('table', { name: 'Limits' })
        .getByRole('rowheader', { name: `${policy} ${level}` })
        .getByRole('button'),

    /** Opens a row of the overview if it is closed. Returns the meter in it. */
    async openLevel(policy: string, level: string): Promise<Locator> {
      const opener = this.opener(policy, level);
      await expect(opener).toBeVisible();
      if ((await opener.getAttribute('aria-expanded')) === 'false') await opener.click();
      return main.getByRole('region', { name: `${policy} ${level}` }).getByRole('meter');
    },

    /** The dialog that changes a limit. */
    limitDialog: page.getByRole('dialog', { name: /^Change limit/ }),

    /** Opens the dialog of a level. */
    async openLimit(policy: string, level: string): Promise<Locator> {
      await this.level(policy, level)
        .getByRole('button', { name: /^Change/ })
        .click();
      const form = this.limitDialog.getByRole('form');
      await expect(form.getByLabel('Limit (calls)')).toBeFocused();
      return form;
    },

    /** Enters another limit for a level, and waits for its numbers. */
    async tryLimit(policy: string, level: string, limit: number): Promise<Tried> {
      const form = await this.openLimit(policy, level);
      await form.getByLabel('Limit (calls)').fill(String(limit));
      await expect(form.getByRole('button', { name: 'Apply' })).toHaveAttribute('aria-disabled', 'true');
      await expect(form.getByRole('button', { name: 'Apply' })).not.toHaveAttribute('aria-disabled');
      return {
        form,
        async outcomes() {
          return {
            actual: await outcomesIn(form, 0),
            before: await outcomesIn(form, 1),
            after: await outcomesIn(form, 2),
          };
        },
      };
    },
  };
}

/** Signs in as the demo's operator without the page. */
export function signInOperator(request: APIRequestContext): Promise<APIResponse> {
  return request.post('/api/trpc/auth.signInDemo', { data: { role: 'admin' } });
}

interface Tried {
  form: Locator;
  /** Returns the admitted and refused calls of the last minutes: what happened, with the effective limit, with the new one. */
  outcomes(): Promise<Record<'actual' | 'before' | 'after', Outcomes>>;
}

interface Outcomes {
  admitted: number;
  refused: number;
}

async function outcomesIn(form: Locator, column: number): Promise<Outcomes> {
  return {
    admitted: await numberIn(form, 'Admitted', column),
    refused: await numberIn(form, 'Refused', column),
  };
}

async function numberIn(form: Locator, row: string, index: number): Promise<number> {
  const cell = form
    .getByRole('row', { name: new RegExp(`^${row}`) })
    .getByRole('cell')
    .nth(index);
  return Number((await cell.textContent())?.replaceAll(',', ''));
}
