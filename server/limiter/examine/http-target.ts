import type { Answer, Target } from './target';

/** The calls of the examination. */
export interface HttpTargetOptions {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
}

const TIMEOUT_MS = 30_000;

/** Creates the target of a URL. A call is answered when its headers are there. */
export function createHttpTarget({ url, method, headers, body }: HttpTargetOptions): Target {
  const otherCase = new URL(url);
  const { pathname } = url;
  otherCase.pathname = pathname === pathname.toUpperCase() ? pathname.toLowerCase() : pathname.toUpperCase();
  const now = () => performance.now();
  return {
    now,
    sleepUntil: (instant) =>
      new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.ceil(instant - now())))),
    async send({ headers: more = {}, hasOtherCase = false } = {}): Promise<Answer> {
      const from = now();
      const response = await fetch(hasOtherCase ? otherCase : url, {
        method,
        headers: { ...headers, ...more },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body !== undefined && { body }),
      });
      const to = now();
      await response.arrayBuffer();
      return { status: response.status, headers: Object.fromEntries(response.headers), from, to };
    },
  };
}
