import type { Log } from './log';

/** The fields of a log line about a refusal. The subject is left out, because it is personal. */
export interface LoggedRefusal {
  policy: string;
  level: string;
  reason: 'limited' | 'banned';
  retryAfterMs: number;
}

export interface RefusalLogOptions {
  log: Pick<Log, 'info'>;
  /** Minimum time between two lines of one level, in ms. Default: 1000. */
  everyMs?: number;
  /** Epoch ms. Default: this node's clock. */
  now?: () => number;
}

/**
 * Creates a sampled log of refusals, so that a flood of calls causes no flood of lines. The first refusal of a level is
 * written at once, then at most one per `everyMs`. `refused` is the number of refusals that a line stands for.
 */
export function createRefusalLog({
  log,
  everyMs = 1000,
  now = Date.now,
}: RefusalLogOptions): (refusal: LoggedRefusal) => void {
  const levels = new Map<string, { nextAt: number; refused: number }>();

  return function logRefusal({ policy, level, reason, retryAfterMs }) {
    const name = `${policy}:${level}:${reason}`;
    const sample = levels.get(name) ?? { nextAt: 0, refused: 0 };
    levels.set(name, sample);
    sample.refused += 1;
    if (now() < sample.nextAt) return;
    log.info({ policy, level, reason, retryAfterMs, refused: sample.refused }, 'refused');
    sample.nextAt = now() + everyMs;
    sample.refused = 0;
  };
}
