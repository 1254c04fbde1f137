import { awaitReply, type Experiment, type RunExperiment } from '../experiments/experiment';
import { clockOrigin } from '../experiments/experiment-limiter';
import type { KeySnapshot } from './key-snapshots';
import { readKeySnapshots } from './key-snapshots';
import { type HitLog, type Storage, storages, storageVariants, type WrittenLog } from './storage-variants';

export interface StoragesInput {
  hits: number;
  windowMs: number;
  signal?: AbortSignal | undefined;
}

/** The same log of hits in each Redis type, and in the product's packed form. */
export interface Storages {
  storages: StoredLog[];
  hits: number;
  windowMs: number;
}

export interface StoredLog {
  storage: Storage;
  bytes: number;
  /** Memory of one hit. */
  bytesPerHit: number;
  /** Commands of one decision on a full log. */
  commands: string[];
  /** Size of the replies in bytes, without protocol overhead. */
  bytesRead: number;
  /** True if Redis can select the hits of a window instead of returning all of them. */
  canQueryWindow: boolean;
  key: KeySnapshot;
}

/** Creates the comparison of storage forms for the same hits, spread over a window. */
export function createCompareStorages({ runExperiment }: { runExperiment: RunExperiment }) {
  return function compareStorages({ hits, windowMs, signal }: StoragesInput): Promise<Storages> {
    return runExperiment({ signal }, async (experiment) => {
      const log = createHitLog(hits, windowMs);
      const compared: StoredLog[] = [];
      for (const storage of storages) {
        experiment.signal.throwIfAborted();
        compared.push((await storeLog(experiment, storage, log)).stored);
      }
      return { storages: compared, hits, windowMs };
    });
  };
}

/** Creates a log whose hits are spread over one window. */
export function createHitLog(hits: number, windowMs: number): HitLog {
  const origin = clockOrigin(windowMs);
  const instants = Array.from({ length: hits }, (_, index) => origin + Math.floor((index * windowMs) / hits));
  return { instants, windowMs };
}

/** Writes a log in one form and reads its costs. */
export async function storeLog(
  experiment: Experiment,
  storage: Storage,
  log: HitLog,
): Promise<{ stored: StoredLog; written: WrittenLog }> {
  const { write, commands, canQueryWindow } = storageVariants[storage];
  const listNewKeys = experiment.trackNewKeys();
  const written = await write(experiment, log);
  const packedBy = storage === 'packed' ? 'sliding-log' : undefined;
  const [key] = await readKeySnapshots(experiment, listNewKeys(), {
    origin: clockOrigin(log.windowMs),
    packedBy,
  });
  if (!key) throw new Error(`the log was not stored as ${storage}`);
  const stored = {
    storage,
    bytes: key.bytes,
    bytesPerHit: key.bytes / log.instants.length,
    commands: [...commands],
    bytesRead: countReplyBytes(await awaitReply(written.read())),
    canQueryWindow,
    key,
  };
  return { stored, written };
}

/** Counts the bytes of a reply as text. */
function countReplyBytes(reply: unknown): number {
  if (Array.isArray(reply)) return reply.reduce<number>((sum, part) => sum + countReplyBytes(part), 0);
  if (typeof reply === 'object' && reply !== null) return countReplyBytes(Object.entries(reply));
  return Buffer.byteLength(String(reply));
}
