import { z } from 'zod';
import { withinStoreTimeout } from '../limiter';
import type { RedisClient } from '../redis/client';
import { labProgressKey } from '../redis/keys';
import { awaitReply, type Experiment } from '../sandbox/experiment';

/** Progress of a run. */
export interface Progress {
  /** Finished decisions. */
  done: number;
  /** Total number of decisions. */
  of: number;
}

/** Stores the progress of a run, if the run has an id. */
export type ReportProgress = (
  runId: string | undefined,
  progress: Progress,
  experiment: Pick<Experiment, 'clients'>,
) => Promise<void>;

/** Longer than the longest run. */
const PROGRESS_TTL_MS = 60_000;

export const reportProgress: ReportProgress = async (runId, { done, of }, { clients }) => {
  if (runId === undefined) return;
  await awaitReply(
    clients[0].set(labProgressKey(runId), JSON.stringify({ done, of }), 'PX', PROGRESS_TTL_MS),
  );
};

const progressSchema = z.object({ done: z.number(), of: z.number() });

/** Creates the reader of a run's progress, from any node. It returns null for an unknown or old id. */
export function createReadProgress({ redis }: { redis: RedisClient }) {
  return async function readProgress(runId: string): Promise<Progress | null> {
    const text = await withinStoreTimeout(redis.get(labProgressKey(runId)), 250);
    return text === null ? null : progressSchema.parse(JSON.parse(text));
  };
}
