import { expect, test } from './fixtures';
import { pagePaths } from './page-paths';

test.use({ expectedStatuses: [401, 403] });

test('an anonymous visitor gets the sign-in form, and a shopper is refused', async ({ page }) => {
  for (const path of pagePaths.operators) {
    expect((await page.goto(path))?.status(), path).toBe(401);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in as an operator');
  }
  await page.request.post('/api/trpc/auth.signInDemo', { data: { name: 'Ada' } });
  for (const path of pagePaths.operators) {
    expect((await page.goto(path))?.status(), path).toBe(403);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page is for operators');
  }
  await expect(page.getByRole('banner').getByRole('link', { name: 'Ops' })).toBeHidden();
});

test('after signing in, an operator returns to the requested page', async ({ page }) => {
  await page.goto('/ops');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign in as Dara' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Ops' })).toHaveAttribute(
    'aria-current',
    'page',
  );

  await page.getByRole('button', { name: 'Signed in as Dara' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { level: 1 }), 'the operator page is replaced').toHaveText(
    'Sign in as an operator',
  );
});
