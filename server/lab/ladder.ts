import type { RunExperiment } from '../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../experiments/experiment-limiter';
import { refusalData } from '../limiter/index';

/** The numbers of a tutorial: 5 calls a minute, a warning from the third violation, a ban of 30 minutes at the fifth. */
export const tutorialLadder = { limit: 5, windowMs: 60_000, warnAt: 3, banAt: 5, banMs: 1_800_000 } as const;

/** Ten calls: five within the limit, and one for each violation. */
const CALLS = tutorialLadder.limit + tutorialLadder.banAt;
/** Each call is refused or admitted before the next one, and all are in one window. */
const STEP_MS = 1_000;

/** The calls of one caller, with the numbers of a tutorial. */
export interface LadderRun {
  /** Ascending by time. */
  calls: LadderCall[];
}

export interface LadderCall {
  /** Time in ms on the experiment's clock. */
  at: number;
  outcome: 'admitted' | 'refused' | 'warned' | 'banned';
  /** Violations after this call. 0 for an admitted call. */
  violations: number;
  /** 0 for an admitted call. */
  retryAfterMs: number;
}

/** Creates the run of the punishment ladder: ten calls, decided by the product on the experiment's clock. */
export function createRunLadder({ runExperiment }: { runExperiment: RunExperiment }) {
  return function runLadder({ signal }: { signal?: AbortSignal | undefined }): Promise<LadderRun> {
    return runExperiment({ signal }, async (experiment) => {
      const limiter = experiment.limiter();
      const { limit, windowMs, ...punishment } = tutorialLadder;
      const policy = experimentPolicy('ladder', [{ level: 'user', limit, windowMs, punishment }]);
      const origin = clockOrigin(windowMs);
      const calls: LadderCall[] = [];
      for (let at = 0; at < CALLS * STEP_MS; at += STEP_MS) {
        experiment.signal.throwIfAborted();
        const decision = await limiter.decideAt(origin + at, policy);
        if (decision.allowed) {
          calls.push({ at, outcome: 'admitted', violations: 0, retryAfterMs: 0 });
          continue;
        }
        const { reason, warning, violations = 0, retryAfterMs } = refusalData(decision);
        const outcome = reason === 'banned' ? 'banned' : warning ? 'warned' : 'refused';
        calls.push({ at, outcome, violations, retryAfterMs: retryAfterMs ?? 0 });
      }
      return { calls };
    });
  };
}
