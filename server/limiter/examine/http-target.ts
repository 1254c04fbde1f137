import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './session';

const TIMEOUT_MS = 30_000;

/** Creates the target of a URL. A call is answered when its headers are there. */
export function createHttpTarget(url: URL, init: RequestInit): Target {
  const { origin, pathname, search } = url;
  const upper = pathname.toUpperCase();
  const otherCase = origin + (pathname === upper ? pathname.toLowerCase() : upper) + search;
  const now = () => performance.now();
  return {
    now,
    sleepUntil: (instant) => sleep(Math.max(0, Math.ceil(instant - now()))),
    async send({ headers = {}, hasOtherCase = false } = {}) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const request = new Request(hasOtherCase ? otherCase : url, { ...init, redirect: 'manual', signal });
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
      const from = now();
      // A server may close an idle connection at that time.
      const response = await fetch(request.clone()).catch(() => fetch(request));
      const to = now();
      await response.arrayBuffer();
      return { status: response.status, headers: Object.fromEntries(response.headers), from, to };
    },
  };
}
