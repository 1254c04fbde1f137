import { forwardedAddress } from 'floodgate-limiter/fetch';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { limiter, pressing } from '../limiter';

/** A server action has no `Request`: it reads its headers, and answers by what it renders or where it leads. */
async function press() {
  'use server';
  const ip = forwardedAddress({ headers: await headers() }, { proxies: 1 }) ?? '';
  const decision = await limiter.check(pressing, { ip });
  redirect(decision.allowed ? '/?pressed' : `/?retryAfterMs=${decision.retryAfterMs}`);
}

export default function Page() {
  return (
    <form action={press}>
      <button type="submit">Press</button>
    </form>
  );
}
