import { forbidden, unauthorized } from 'next/navigation';
import { pageRequest } from '../_trpc/server';

/**
 * Call it first in each page of the operators. A stranger gets the page that asks to sign in, with 401; a shopper the
 * one that says it is not for them, with 403. The procedures behind the page hold the same rule for themselves.
 */
export async function requireOperator(): Promise<void> {
  const { user } = await pageRequest();
  if (!user) unauthorized();
  if (user.role !== 'admin') forbidden();
}
