import { readClaims } from './claims';
import { type AlgorithmName, listModels, type Model } from './models';
import { ExamineError, MAX_PARALLEL, MAX_WINDOWS, type Session, scatter } from './session';
import type { SeenCall } from './target';

/** The limiter that the calls fit. */
export interface Finding {
  /** The algorithms that explain all calls: one, several that explain them equally, or none of these. */
  names: AlgorithmName[];
  limit: number;
  windowMs: number;
  /** True if refused calls are charged as well. */
  countsRefusals: boolean;
  /** Of a sliding counter, the fewest that explain the calls. */
  subWindows?: number;
  /** An edge of the windows, on the clock of the target. */
  phaseMs?: number;
  /** Per algorithm, the fewest calls that contradict it, and the first of them. */
  evidence: { name: AlgorithmName; contradictions: number; first?: SeenCall }[];
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
/** An algorithm is excluded if it has this many contradictions more than the best one. */
const MARGIN = 3;

/** Contradictions that a busy machine may cause, and one more for each 100 calls. */
const TOLERATED = 1;

/** Calls that show whether answers are delayed. */
const FIRST_CALLS = 5;

/** Finds the limit, the window and the algorithm. Ends as soon as one algorithm is left. */
export async function findLimiter(session: Session, options: FindOptions): Promise<Finding> {
  let first = await session.fill('limit', Math.min(FIRST_CALLS, options.maxLimit));
  if (first === FIRST_CALLS) {
    const delayed = await findDelays(session);
    if (delayed) return delayed;
    first += await session.fill('limit', options.maxLimit - FIRST_CALLS);
  }
  if (first === options.maxLimit)
    throw new ExamineError(
      `No call of ${first} was refused. Examine a route with a lower limit, or raise --max-limit.`,
    );
  const claims = readClaims(session.calls.at(-1)?.headers ?? {}, Date.now());
  const given = options.windowMs ?? claims.windowMs;
  const limits = new Set([first, ...(claims.limit ? [claims.limit] : [])]);
  let windows = given ? [given] : await measureWindows(session);
  const jury = createJury(session.calls);
  const addModels = (some: Iterable<number>) => {
    for (const windowMs of windows) for (const limit of some) jury.add(listModels({ limit, windowMs }));
  };
  addModels(limits);
  let finding = jury.judge();
  const begin = session.target.now();
  for (const [index, probe] of [probeRefusals, probeReturns, probeTimes, probeTimes].entries()) {
    if (index > 2 && session.target.now() - begin > 0.6 * MAX_WINDOWS * finding.windowMs) break;
    const admitted = await probe(session, { ...finding, isRepeated: index > 2 });
    if (admitted > 0 && !limits.has(admitted)) {
      limits.add(admitted);
      addModels([admitted]);
    }
    finding = jury.judge();
    if (index >= 1 && finding.names.length === 1) break;
    if (index === 1 && finding.names.length === 0 && given && !options.windowMs) {
      windows = await measureWindows(session);
      addModels(limits);
      finding = jury.judge();
    }
  }
  return finding;
}

/** Judges models by all calls so far, and drops those that are far from the best. */
function createJury(calls: readonly SeenCall[]) {
  let models: Model[] = [];
  const evidence = new Map<AlgorithmName, Finding['evidence'][number]>();
  return {
    add(more: Model[]) {
      models.push(...more);
    },
    judge(): Finding {
      const judged = models.map((model) => ({ model, against: model.contradictions(calls) }));
      judged.sort((one, other) => one.against.length - other.against.length);
      const found = new Set<AlgorithmName>();
      for (const { model, against } of judged) {
        if (found.has(model.name)) continue;
        found.add(model.name);
        evidence.set(model.name, {
          name: model.name,
          contradictions: against.length,
          ...(against[0] && { first: against[0] }),
        });
      }
      const least = judged[0]?.against.length ?? 0;
      models = judged.filter(({ against }) => against.length <= least + MARGIN + 1).map(({ model }) => model);
      const ranked = [...evidence.values()].sort((one, other) => one.contradictions - other.contradictions);
      const isExplained = least <= TOLERATED + calls.length / 100;
      // The evidence of a dropped algorithm is of fewer calls.
      const names = ranked
        .filter(({ name, contradictions }) => found.has(name) && contradictions < least + MARGIN)
        .map(({ name }) => name);
      const best = judged.filter(({ model, against }) => against.length === least && model.name === names[0]);
      // Of models that explain the calls equally, the plainest.
      const [plainest] = best
        .map(({ model }) => model)
        .sort(
          (one, other) =>
            Number(one.countsRefusals) - Number(other.countsRefusals) ||
            (one.subWindows ?? 0) - (other.subWindows ?? 0),
        );
      if (!plainest) throw new ExamineError('No window was found. Name it with --window.');
      const { contradictions: _, name: __, ...numbers } = plainest;
      return { ...numbers, names: isExplained ? names : [], evidence: ranked };
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
      if (refusedAt > MAX_PAUSE_MS)
        throw new ExamineError(
          `No unit returned in ${Math.round(refusedAt / 1_000)} s. Name the window with --window.`,
        );
    }
    least = Math.max(least, refusedAt);
    most = Math.max(most, session.target.now() - begin);
    await session.fill('window', MAX_PARALLEL);
  }
  const limit = session.calls.findIndex(({ allowed }) => !allowed);
  return USUAL_WINDOWS.filter((windowMs) => windowMs >= 0.9 * least && windowMs <= 2.5 * most * limit);
}

/** Calls again during a full window, then checks when units return: do refused calls count? */
async function probeRefusals(session: Session, { limit, windowMs }: Finding): Promise<number> {
  await session.sleep(1.2 * windowMs);
  const begin = session.target.now();
  const admitted = await session.fill('refusals', 2 * limit + 2);
  await session.target.sleepUntil(begin + 0.8 * windowMs);
  for (let index = 0; index < limit; index += 1) await session.call('refusals');
  await session.target.sleepUntil(begin + 1.55 * windowMs);
  await session.poll('refusals', { everyMs: windowMs / 16, until: begin + 1.9 * windowMs });
  return admitted;
}

/** One call, the others half a window later: in which order do units return? */
async function probeReturns(session: Session, { limit, windowMs, countsRefusals }: Finding): Promise<number> {
  await session.sleep(1.2 * windowMs);
  const begin = session.target.now();
  await session.call('returns');
  await session.target.sleepUntil(begin + 0.45 * windowMs);
  if (!countsRefusals) {
    const admitted = await session.fill('returns', 2 * limit + 2);
    await session.poll('returns', { everyMs: windowMs / 40, until: begin + 1.75 * windowMs });
    return admitted + 1;
  }
  // Refused calls that count keep a window full, so there are few of them.
  await session.fill('returns', limit - 1);
  await session.target.sleepUntil(begin + 1.03 * windowMs);
  await session.fill('returns', 2);
  await session.target.sleepUntil(begin + 1.48 * windowMs);
  await session.fill('returns', 2 * limit);
  await session.target.sleepUntil(begin + 2.08 * windowMs);
  await session.fill('returns', 2);
  return 0;
}

/** Calls at scattered times: how long after each of them does its unit return? */
async function probeTimes(
  session: Session,
  { names, limit, windowMs, countsRefusals, isRepeated }: Finding & { isRepeated: boolean },
): Promise<number> {
  await session.sleep(1.2 * windowMs);
  const begin = session.target.now();
  if (isRepeated && countsRefusals && names[0] === 'first-hit-window') {
    // A window that each call renews never ends, also with half of the allowed rate.
    const until = begin + (1.8 * windowMs * (limit + 3)) / limit;
    await session.poll('times', { everyMs: (1.8 * windowMs) / limit, until });
    return 0;
  }
  const times = Array.from(
    { length: limit },
    (_, index) => ((index + scatter(index + Number(isRepeated) * limit)) / limit) * 0.9 * windowMs,
  );
  for (const time of times) {
    await session.target.sleepUntil(begin + time);
    await session.call('times');
  }
  if (!countsRefusals) {
    await session.poll('times', { everyMs: windowMs / 90, until: begin + 2.1 * windowMs });
    return 0;
  }
  // First soon after each unit returns, then soon before.
  for (const [index, time] of times.entries()) {
    const lateMs = windowMs * (0.006 + 0.02 * scatter(index));
    await session.target.sleepUntil(begin + time + windowMs + (isRepeated ? -lateMs : lateMs));
    await session.call('times');
  }
  return 0;
}

/** Finds a limiter that delays calls: the answers of calls that are sent at once come in equal distances. */
async function findDelays(session: Session): Promise<Finding | undefined> {
  const tookMs = session.calls.slice(-3).map(({ from, to }) => to - from);
  const [shortest = 0, longest = 0] = [Math.min(...tookMs), Math.max(...tookMs)];
  if (session.calls.length < 4 || shortest < 15 || longest > 1.6 * shortest) return undefined;
  await session.sleep(2 * longest + 50);
  const burst = await session.callTogether('delays', MAX_PARALLEL);
  const answers = burst.filter(({ allowed }) => allowed).map(({ to }) => to);
  answers.sort((one, other) => one - other);
  const gaps = answers.slice(1).map((at, index) => at - (answers[index] ?? 0));
  const gapMs = gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
  const equal = gaps.filter((gap) => Math.abs(gap - gapMs) < 0.5 * gapMs);
  if (gaps.length < 3 || gapMs < 8 || equal.length < 0.7 * gaps.length) return undefined;
  const measured = gapMs * answers.length;
  const windowMs =
    USUAL_WINDOWS.find((usual) => Math.abs(usual - measured) < 0.06 * usual) ?? Math.round(measured);
  return {
    names: ['leaky-bucket'],
    limit: answers.length,
    windowMs,
    countsRefusals: false,
    evidence: [{ name: 'leaky-bucket', contradictions: gaps.length - equal.length }],
  };
}
