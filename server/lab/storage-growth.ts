import type { RunExperiment } from '../experiments/experiment';
import { type Storage, storages, type WrittenLog } from './storage-variants';
import { createHitLog, storeLog } from './storages';

/** The costs of each storage form for logs of several sizes. */
export interface StorageGrowth {
  /** Numbers of hits, ascending. */
  sizes: number[];
  storages: GrowingLog[];
}

export interface GrowingLog {
  storage: Storage;
  /** One for each size. */
  costs: StorageCosts[];
}

export interface StorageCosts {
  /** Memory of the key. */
  bytes: number;
  /** Size of the replies of one decision, in bytes. */
  bytesRead: number;
  /** Median time of one decision in Redis in µs, without the network and without the work of the caller. */
  micros: number;
}

const SIZES = [10, 100, 1_000, 5_000] as const;
const WINDOW_MS = 60_000;
/** Enough for a stable median. Each decision is sent alone, so other clients wait for one at most. */
const DECISIONS = 31;

/** Creates the measurement of how the costs of each storage form grow with the log. */
export function createMeasureGrowth({ runExperiment }: { runExperiment: RunExperiment }) {
  return function measureGrowth({ signal }: { signal?: AbortSignal | undefined }): Promise<StorageGrowth> {
    return runExperiment({ signal }, async (experiment) => {
      const grown: GrowingLog[] = [];
      for (const storage of storages) {
        const costs: StorageCosts[] = [];
        for (const size of SIZES) {
          experiment.signal.throwIfAborted();
          const { stored, written } = await storeLog(experiment, storage, createHitLog(size, WINDOW_MS));
          const { bytes, bytesRead } = stored;
          costs.push({ bytes, bytesRead, micros: await measureMedian(written) });
        }
        grown.push({ storage, costs });
      }
      return { sizes: [...SIZES], storages: grown };
    });
  };
}

async function measureMedian({ decide }: WrittenLog): Promise<number> {
  const micros: number[] = [];
  for (let index = 0; index < DECISIONS; index += 1) micros.push(await decide(index));
  micros.sort((one, other) => one - other);
  return micros[Math.floor(DECISIONS / 2)] ?? 0;
}
