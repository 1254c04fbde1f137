import { z } from 'zod';
import { withinStoreTimeout } from '../limiter';
import type { RedisClient } from '../redis/client';
import { labProgressKey } from '../redis/keys';
import { answer, type Experiment } from './experiment';

/** How far a run has come. */
export interface Progress {
  /** Decisions made. */
  done: number;
  /** Decisions to make. */
  of: number;
}

/** Writes down how far a run has come, where its caller gave it an id. */
export type TellProgress = (
  runId: string | undefined,
  progress: Progress,
  experiment: Pick<Experiment, 'clients'>,
) => Promise<void>;

/** A run ends sooner than this. */
const LIVES_MS = 60_000;

export const tellProgress: TellProgress = async (runId, { done, of }, { clients }) => {
  if (runId === undefined) return;
  await answer(clients[0].set(labProgressKey(runId), JSON.stringify({ done, of }), 'PX', LIVES_MS));
};

const progressSchema = z.object({ done: z.number(), of: z.number() });

/** Reads how far a run has come, whichever node conducts it; null where none of that id was under way lately. */
export function createReadProgress({ redis }: { redis: RedisClient }) {
  return async function readProgress(runId: string): Promise<Progress | null> {
    const text = await withinStoreTimeout(redis.get(labProgressKey(runId)), 250);
    return text === null ? null : progressSchema.parse(JSON.parse(text));
  };
}
