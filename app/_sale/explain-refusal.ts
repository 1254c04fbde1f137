import type { StandingRefusal } from '../_window/refusals';

interface Explanation {
  /** What filled the window, oldest first; empty where it is not known. */
  hits: number[];
  /** The hit that leaves first, and with it the refusal. */
  leaving: number;
  refusedAt: number;
  /** When the next call fits. */
  freeAt: number;
  /** What a drawing has to span. */
  from: number;
  until: number;
}

/** An answer is some time on its way, so the instant of the refusal is known a little late; the hits are exact. */
const answerMs = 1_000;

/** Puts a refusal on a line of time. Instants are epoch ms by the server's clock. */
export function explainRefusal({
  refusedAt,
  retryAfterMs,
  windowMs,
  hits = [],
}: Pick<StandingRefusal, 'refusedAt' | 'retryAfterMs' | 'windowMs' | 'hits'>): Explanation {
  const about = refusedAt + retryAfterMs - windowMs;
  const distance = (hit: number) => Math.abs(hit - about);
  const [nearest] = hits.toSorted((a, b) => distance(a) - distance(b));
  const leaving = nearest !== undefined && distance(nearest) < answerMs ? nearest : about;
  const freeAt = leaving + windowMs;
  const from = refusedAt - windowMs;
  return { hits, leaving, refusedAt, freeAt, from, until: Math.max(freeAt, refusedAt) };
}
