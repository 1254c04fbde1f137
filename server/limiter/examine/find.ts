import { readClaims } from './claims';
import { type AlgorithmName, listModels, type Model } from './models';
import {
  ExamineError,
  MAX_PARALLEL,
  MAX_WINDOWS,
  type Plan,
  type SeenCall,
  type Session,
  scatter,
} from './session';

/** The limiter that the calls fit. */
export interface Finding extends Omit<Model, 'name' | 'createReplay'> {
  /** The algorithms that explain all calls: one, several that explain them equally, or none of these. */
  names: AlgorithmName[];
  /** Per algorithm, the fewest calls that contradict it, at most `MAX_CONTRADICTIONS`, and the first of them. */
  evidence: { name: AlgorithmName; contradictions: number; first?: SeenCall | undefined }[];
}

export interface FindOptions {
  /** Calls until no limit is found. */
  maxLimit: number;
  /** Of the caller. Default: the headers, else measured. */
  windowMs?: number | undefined;
}

/** Windows that people choose, in ms. */
const USUAL_WINDOWS = [
  100, 200, 250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 12_000, 15_000,
  20_000, 30_000, 45_000, 60_000, 90_000, 120_000, 300_000, 600_000, 900_000, 3_600_000,
];
/** The longest wait for a unit, if no header names the window. */
const MAX_PAUSE_MS = 180_000;
/** More contradictions say nothing more. */
export const MAX_CONTRADICTIONS = 16;
/** An algorithm is excluded if it has this many contradictions more than the best one. */
const MARGIN = 3;
/** Contradictions that a busy machine may cause, and one more for each 100 calls. */
const TOLERATED = 1;
/** Calls that show whether answers are delayed. */
const FIRST_CALLS = 5;

/** Finds the limit, the window and the algorithm. Ends as soon as one algorithm is left. */
export async function findLimiter(session: Session, options: FindOptions): Promise<Finding> {
  const { calls, target } = session;
  let first = 0;
  // A busy machine may hide delays once.
  for (let time = 0; time < 3 && first === time * FIRST_CALLS; time += 1) {
    first += await session.fill('limit', FIRST_CALLS);
    const delayed = calls.at(-1)?.allowed && (await findDelays(session));
    if (delayed) return delayed;
  }
  if (calls.at(-1)?.allowed) first += await session.fill('limit', options.maxLimit - first);
  if (first >= options.maxLimit)
    throw new ExamineError(
      `No call of ${first} was refused; the last was answered ${calls.at(-1)?.status}. Examine a route with a lower limit, or raise --max-limit.`,
    );
  const claims = readClaims(calls.at(-1)?.headers ?? {});
  const given = options.windowMs ?? claims.windowMs;
  let windows = given ? [given] : await measureWindows(session);
  let fill = calls.slice(0, first + 1);
  if (first === 0 && given) {
    // The window is full of earlier calls.
    await session.sleep(1.2 * given);
    await session.fill('limit', options.maxLimit);
    fill = calls.slice(1);
  }
  requireAdmitted(calls);
  const jury = createJury(calls);
  jury.add(windows, [fill, claims.limit]);
  let finding = jury.judge();
  const begin = target.now();
  for (let round = 0; round < 4; round += 1) {
    if (round > 2 && target.now() - begin > 0.6 * MAX_WINDOWS * finding.windowMs) break;
    const before = calls.length;
    const admitted = await session.follow('returns', planRound(round, finding));
    if (round === 0) fill = calls.slice(before, before + admitted + 1);
    if (round === 0) jury.add(windows, [fill]);
    finding = jury.judge();
    if (round > 0 && finding.names.length === 1) break;
    if (round === 1 && finding.names.length === 0 && !options.windowMs && given) {
      windows = await measureWindows(session);
      jury.add(windows, [fill]);
      finding = jury.judge();
    }
  }
  return finding;
}

function requireAdmitted(calls: readonly SeenCall[]): void {
  if (calls.some(({ allowed }) => allowed)) return;
  const { status } = calls.at(-1) ?? {};
  throw new ExamineError(
    `Every call was refused; the last was answered ${status}. Wait until the limit admits a call, or name another one.`,
  );
}

/** Judges models by all calls so far, and drops those that are far from the best. */
function createJury(calls: readonly SeenCall[]) {
  let models: Model[] = [];
  const evidence = new Map<AlgorithmName, Finding['evidence'][number]>();
  return {
    /** Adds the limits that a series may have until its refusal, because units return while calls are late, and the claimed one. */
    add(windows: number[], [fill, claimed]: [fill: readonly SeenCall[], claimed?: number | undefined]) {
      const admitted = fill.length - 1;
      const tookMs = (fill.at(-1)?.to ?? 0) - (fill[0]?.from ?? 0);
      for (const windowMs of windows) {
        const least = Math.max(1, Math.ceil(admitted / (1 + tookMs / windowMs)));
        const limits = new Set([claimed ?? least, ...Array.from({ length: 8 }, (_, index) => least + index)]);
        const possible = [...limits].filter((limit) => limit <= admitted || limit === claimed);
        models.push(...possible.flatMap((limit) => listModels({ limit, windowMs })));
      }
    },
    judge(): Finding {
      const judged = models.map((model) => {
        const isPossible = model.createReplay();
        const against: SeenCall[] = [];
        for (const call of calls)
          if (against.length < MAX_CONTRADICTIONS && !isPossible(call)) against.push(call);
        // Of models that explain the calls equally, the plainest is first.
        const order = 1_000 * against.length + 100 * Number(model.countsRefusals) + (model.subWindows ?? 0);
        return { model, against, order };
      });
      judged.sort((one, other) => one.order - other.order);
      const [best] = judged;
      if (!best) throw new ExamineError('No window was found. Name it with --window.');
      for (const { model, against } of judged.toReversed())
        evidence.set(model.name, { name: model.name, contradictions: against.length, first: against[0] });
      const least = best.against.length;
      const near = judged.filter(({ against }) => against.length < least + MARGIN);
      models = near.map(({ model }) => model);
      const isExplained = least <= TOLERATED + calls.length / 100;
      const names = isExplained ? [...new Set(models.map(({ name }) => name))] : [];
      const ranked = [...evidence.values()].sort((one, other) => one.contradictions - other.contradictions);
      return { ...best.model, names, evidence: ranked };
    },
  };
}

/** Returns the windows that fit the time until units return, twice: a fixed window may end early once. */
async function measureWindows(session: Session): Promise<number[]> {
  let least = 0;
  let most = 0;
  for (let time = 0; time < 2; time += 1) {
    const begin = session.target.now();
    let refusedAt = 0;
    for (let pauseMs = 60; ; pauseMs *= 1.5) {
      await session.sleep(pauseMs);
      const call = await session.call('window');
      if (call.allowed) break;
      refusedAt = call.from - begin;
      if (refusedAt > MAX_PAUSE_MS) return [];
    }
    least = Math.max(least, refusedAt);
    most = Math.max(most, session.target.now() - begin);
    await session.fill('window', MAX_PARALLEL);
  }
  const limit = session.calls.findIndex(({ allowed }) => !allowed);
  return USUAL_WINDOWS.filter((windowMs) => windowMs >= 0.9 * least && windowMs <= 2.5 * most * limit);
}

function planRound(round: number, { limit, windowMs, names, countsRefusals }: Finding): Plan {
  // Refused calls during a full window: does it end later?
  const again = Array.from({ length: limit }, () => [0.8, 1] as const);
  if (round === 0)
    return {
      windowMs,
      fills: [[0, 2 * limit + 2], ...again],
      poll: { from: 1.55, every: 1 / 16, until: 1.9 },
    };
  // A window after the last refusal, a two-window counter returns a part of the units, others return all or none.
  if (round === 3 && countsRefusals && names.includes('two-window-counter') && !names.includes('sliding-log'))
    return { windowMs, fills: [0, 1.1, 2.4].map((at) => [at, limit + 1]) };
  // A window that each call renews never ends, also with half of the allowed rate.
  if (round === 3 && countsRefusals && names[0] === 'first-hit-window')
    return { windowMs, fills: [], poll: { from: 0, every: 1.8 / limit, until: 1.8 + 5.4 / limit } };
  // One call, and the others half a window later, then scattered ones: when does the unit of each return?
  const times = again.map((_, index) =>
    round === 1 ? 0.45 * Math.min(index, 1) : (0.9 * (index + scatter(index + (round - 2) * limit))) / limit,
  );
  const fills = times.map((at) => [at, 1] as const);
  if (!countsRefusals) return { windowMs, fills, poll: { from: 0, every: 1 / 90, until: 2.1 } };
  // Refused calls that count keep a window full, so there are few: soon after units return, then soon before.
  if (round === 1) return { windowMs, fills: [...fills, [1.03, 2], [1.48, 2 * limit], [2.08, 2]] };
  const [sign, spread] = round === 3 ? [-1, 0.05] : [1, 0.02];
  const after = times.map((at, index) => [at + 1 + sign * (0.006 + spread * scatter(index)), 1] as const);
  return { windowMs, fills: [...fills, ...after] };
}

/**
 * Finds a limiter that delays calls. Of calls sent at once, the first is answered at once, and the others follow in distances
 * of about the time that single calls take. A slow server answers its first call late as well.
 */
async function findDelays(session: Session): Promise<Finding | undefined> {
  const tookMs = session.calls.slice(-3).map(({ from, to }) => to - from);
  const [shortest = 0, median = 0, longest = 0] = tookMs.sort((one, other) => one - other);
  if (shortest < 15) return undefined;
  await session.sleep(2 * longest + 50);
  const begin = session.target.now();
  const burst = await session.callTogether('delays', MAX_PARALLEL);
  const answers = [begin, ...burst.filter(({ allowed }) => allowed).map(({ to }) => to)];
  answers.sort((one, other) => one - other);
  const [first = 0, ...gaps] = answers.slice(1).map((at, index) => at - (answers[index] ?? 0));
  const gapMs = gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
  const equal = gaps.filter((gap) => Math.abs(gap - gapMs) < 0.5 * gapMs);
  if (gaps.length < 3 || equal.length < 0.7 * gaps.length) return undefined;
  if (first > 0.8 * gapMs || gapMs < 0.6 * median || gapMs > 1.6 * median) return undefined;
  const { limit: claimed = 0 } = readClaims(session.calls[0]?.headers ?? {});
  // Units return while late calls are on their way.
  const limit = Math.abs(gaps.length + 1 - claimed) <= 2 ? claimed : gaps.length + 1;
  const isNear = (usual: number) => Math.abs(usual - gapMs * limit) < 0.06 * usual;
  const windowMs = USUAL_WINDOWS.find(isNear) ?? Math.round(gapMs * limit);
  const contradictions = gaps.length - equal.length;
  return {
    ...{ names: ['leaky-bucket'], limit, windowMs, countsRefusals: false },
    evidence: [{ name: 'leaky-bucket', contradictions }],
  };
}
