import { z } from 'zod';
import { rateLimit, unlimited } from '../limiter/adapters/trpc';
import { policies } from '../policies';
import { publicProcedure, router } from '../trpc/procedures';
import { algorithms } from './algorithms';
import { type CardSummary, cardIds, listCards, type Mistake, type MistakeInput } from './cards/cards';
import type { ExamineInput } from './examine/examine-limiter';
import type { LabExamination } from './examine/examine-process';
import { examinedIds } from './examine/limiters';
import type { Fairness, FairnessInput } from './fairness';
import type { LadderRun } from './ladder';
import type { Layers, LayersInput } from './layers';
import type { LeaseComparison } from './leases';
import { type Race, type RaceInput, raceVariants } from './race';
import type { RoundTrips } from './round-trips';
import type { LabRun, Progress, RunInput } from './run';
import type { SaleTraffic } from './sale-traffic';
import type { StorageGrowth } from './storage-growth';
import type { Storages, StoragesInput } from './storages';

/** Operations of the lab. They use only the lab's keys. */
export interface LabVerbs {
  run: (input: RunInput) => Promise<LabRun>;
  /** Returns the shared result of the default scenario, or null while there is none. */
  readExample: () => Promise<LabRun | null>;
  /** Returns the progress of a run, or null for an unknown id. */
  readProgress: (runId: string) => Promise<Progress | null>;
  race: (input: RaceInput) => Promise<Race>;
  showMistake: (input: MistakeInput) => Promise<Mistake>;
  measureRoundTrips: (input: { signal?: AbortSignal | undefined }) => Promise<RoundTrips>;
  compareLeases: (input: { signal?: AbortSignal | undefined }) => Promise<LeaseComparison>;
  compareStorages: (input: StoragesInput) => Promise<Storages>;
  measureGrowth: (input: { signal?: AbortSignal | undefined }) => Promise<StorageGrowth>;
  runLadder: (input: { signal?: AbortSignal | undefined }) => Promise<LadderRun>;
  compareLayers: (input: LayersInput) => Promise<Layers>;
  compareFairness: (input: FairnessInput) => Promise<Fairness>;
  examine: (input: ExamineInput) => Promise<LabExamination>;
  /** Returns the stored result of the first limiter. */
  readExamination: () => LabExamination;
  /** Returns the recent calls of the live sale. */
  readSaleTraffic: () => Promise<SaleTraffic>;
}

const HOUR_MS = 60 * 60 * 1000;

const limit = z.number().int().min(1).max(10_000);
const windowMs = z.number().int().min(1).max(600_000);
/** Time in ms on the experiment's clock. 0 is an edge of every window. */
const instant = z
  .number()
  .int()
  .min(0)
  .max(24 * HOUR_MS);

const runInput = z.object({
  algorithms: z
    .array(z.enum(algorithms))
    .min(1)
    .max(algorithms.length)
    .refine((list) => new Set(list).size === list.length, 'must name each algorithm once'),
  limit,
  windowMs,
  subWindows: z.number().int().min(1).max(100).optional(),
  arrivals: z.array(instant).max(5_000),
  runId: z.uuid().optional(),
});

const raceInput = z.object({
  limit,
  windowMs,
  concurrency: z.number().int().min(1).max(500),
  variant: z.enum(raceVariants),
});

const callerNumber = z.number().int().min(0).max(999);
const window = z.object({ limit, windowMs });
const layersInput = z.object({
  /** Time, address and user of each call: as lists, so that 1,200 calls take less than the 32 KiB of a request body. */
  calls: z.array(z.tuple([instant, callerNumber, callerNumber])).max(1_500),
  limits: z.object({ gateway: window, api: window, user: window }),
});

const fairnessInput = z.object({
  people: z.number().int().min(1).max(500),
  pollers: z.number().int().min(0).max(100),
  limit: z.number().int().min(1).max(500),
  windowMs: z.number().int().min(1_000).max(60_000),
  stock: z.number().int().min(1).max(1_000).nullable(),
});

/**
 * The procedures of the lab. Everyone may call them; experiments are rate limited, reads of progress are not.
 */
export function createLabRouter(lab: LabVerbs) {
  // Experiments have their own timeout.
  const limited = publicProcedure.use(rateLimit(policies.lab)).meta({ hasOwnTimeout: true });
  return router({
    run: limited
      .input(runInput)
      .mutation(({ input, signal }): Promise<LabRun> => lab.run({ ...input, signal })),

    /** Costs at most one run per minute for all callers. */
    example: publicProcedure.use(unlimited).query((): Promise<LabRun | null> => lab.readExample()),

    progress: publicProcedure
      .use(unlimited)
      .input(z.object({ runId: z.uuid() }))
      .query(({ input }): Promise<Progress | null> => lab.readProgress(input.runId)),

    race: limited
      .input(raceInput)
      .mutation(({ input, signal }): Promise<Race> => lab.race({ ...input, signal })),

    mistake: limited
      .input(z.object({ mistake: z.enum(cardIds) }))
      .mutation(
        ({ input, ctx, signal }): Promise<Mistake> =>
          lab.showMistake({ ...input, language: ctx.language, signal }),
      ),

    cards: publicProcedure.use(unlimited).query(({ ctx }): CardSummary[] => listCards(ctx.language)),

    roundTrips: limited.mutation(({ signal }): Promise<RoundTrips> => lab.measureRoundTrips({ signal })),

    leases: limited.mutation(({ signal }): Promise<LeaseComparison> => lab.compareLeases({ signal })),

    storages: limited
      .input(z.object({ hits: z.number().int().min(1).max(5_000), windowMs }))
      .mutation(({ input, signal }): Promise<Storages> => lab.compareStorages({ ...input, signal })),

    storageGrowth: limited.mutation(({ signal }): Promise<StorageGrowth> => lab.measureGrowth({ signal })),

    /** Ten calls with the punishment of a tutorial. */
    ladder: limited.mutation(({ signal }): Promise<LadderRun> => lab.runLadder({ signal })),

    layers: limited.input(layersInput).mutation(({ input: { calls, limits }, signal }): Promise<Layers> => {
      const named = calls.map(([at, address, user]) => ({ at, address, user }));
      return lab.compareLayers({ calls: named, limits, signal });
    }),

    fairness: limited
      .input(fairnessInput)
      .mutation(({ input, signal }): Promise<Fairness> => lab.compareFairness({ ...input, signal })),

    /** One of the lab's limiters, by the calls of `floodgate-limiter examine`. */
    examine: limited
      .input(z.object({ limiter: z.enum(examinedIds), runId: z.uuid().optional() }))
      .mutation(({ input, signal }): Promise<LabExamination> => lab.examine({ ...input, signal })),

    /** An examination without a run. */
    examination: publicProcedure.use(unlimited).query((): LabExamination => lab.readExamination()),

    arrivals: limited.query((): Promise<SaleTraffic> => lab.readSaleTraffic()),

    /** One click on the punishment ladder. It only applies the limit. */
    tap: publicProcedure.use(rateLimit(policies.ladder)).mutation((): Record<string, never> => ({})),
  });
}
