import type { ActiveRefusal } from '../_window/refusals';

interface Explanation {
  /** The hits that filled the window, oldest first; empty if unknown. */
  hits: number[];
  /** The oldest hit, whose leaving ends the refusal. */
  leaving: number;
  refusedAt: number;
  /** The instant of the next free slot. */
  freeAt: number;
  /** The range of the drawing. */
  from: number;
  until: number;
}

/** Network delay: the browser knows the instant of the refusal a little late; hits are exact. */
const answerMs = 1_000;

/** Places a refusal on a time line, in epoch ms of the server's clock. */
export function explainRefusal({
  refusedAt,
  retryAfterMs,
  windowMs,
  hits = [],
}: Pick<ActiveRefusal, 'refusedAt' | 'retryAfterMs' | 'windowMs' | 'hits'>): Explanation {
  const about = refusedAt + retryAfterMs - windowMs;
  const distance = (hit: number) => Math.abs(hit - about);
  const [nearest] = hits.toSorted((a, b) => distance(a) - distance(b));
  const leaving = nearest !== undefined && distance(nearest) < answerMs ? nearest : about;
  const freeAt = leaving + windowMs;
  const from = refusedAt - windowMs;
  return { hits, leaving, refusedAt, freeAt, from, until: Math.max(freeAt, refusedAt) };
}
