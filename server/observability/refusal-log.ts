import type { Log } from './log';

/** What a line about a refusal says. Whom it met is left out: a subject is personal. */
export interface LoggedRefusal {
  policy: string;
  level: string;
  reason: 'limited' | 'banned';
  retryAfterMs: number;
}

export interface RefusalLogOptions {
  log: Pick<Log, 'info'>;
  /** The shortest time between two lines of one level, in ms. Default: 1000. */
  everyMs?: number;
  /** Epoch ms. Default: this node's clock. */
  now?: () => number;
}

/**
 * Logs refusals, sampled: a flood is refusals, and must not become a flood of lines. The first of a level is written
 * at once, then at most one per `everyMs`; `refused` says how many refusals a line stands for, itself among them.
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
