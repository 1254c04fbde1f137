import { claimHeaders, readClaims } from './claims';
import type { Finding } from './find';
import { MAX_PARALLEL, type SeenCall, type Session, type Variation } from './session';

/** A line of the report: a statement, and what the calls say about it. */
export interface Check {
  name: string;
  text: string;
  /** False for a problem, undefined if it is neither good nor bad, or cannot be said. */
  isGood?: boolean | undefined;
}

/** Creates a line. */
export const line = (name: string, text: string, isGood?: boolean): Check => ({ name, text, isGood });

/** Admitted calls, from the sending of the first to the answer of the last. */
export interface Span {
  count: number;
  from: number;
  to: number;
}

/** The findings besides the algorithm. */
export interface Facts {
  /** The window with most admitted calls. */
  worst: Span;
  /** The half of a window around an edge with most admitted calls. */
  edge: Span;
  /** Parallel calls, and the admitted ones of each time, after `alone` single calls. A race admits too many each time. */
  burst: { sent: number; alone: number; admitted: number[]; isRace: boolean };
  /** The header fields about limits. */
  headers: string[];
  /** The lines of the report about these fields. */
  checks: Check[];
  /** The changes of a call that give its caller a new window. `undefined` if answers are delayed. */
  bypasses?: string[];
}

/** Slack of times that the server rounds, in ms. */
const ROUNDING_MS = 40;

/** Shows how far the limiter is from its limit, and whether its answers are true. */
export async function collectFacts(session: Session, finding: Finding): Promise<Facts> {
  const { limit, windowMs } = finding;
  const { calls } = session;
  const delays = finding.names[0] === 'leaky-bucket';
  const edge = await burstAtEdge(session, finding);
  const sent = Math.min(MAX_PARALLEL, Math.max(2 * limit, limit + 10));
  const burst = { sent, alone: Math.max(0, limit - sent / 2), admitted: [] as number[], isRace: true };
  const checks: Check[] = [];
  for (const header of ['Retry-After', 'reset'] as const) {
    // Not near an edge.
    await session.sleep(1.3 * windowMs);
    const begin = session.target.now();
    const alone = await session.fill('burst', burst.alone);
    const together = await session.callTogether('burst', sent);
    const admitted = together.filter(({ allowed }) => allowed).length;
    const returned = ((session.target.now() - begin) * limit) / windowMs;
    burst.admitted.push(admitted);
    burst.isRace &&= alone + admitted > limit + 1 + returned;
    if (!delays) await session.fill('retry', 2 * limit);
    checks.push(...(await checkWait(session, header)));
  }
  checks.unshift(...checkNumbers(calls, finding));
  const bypasses = delays ? undefined : await findBypasses(session, finding);
  // A delayed call runs when its answer comes.
  const ran = calls.map((call) => ({ ...call, from: Math.max(call.from, call.to - ROUNDING_MS) }));
  const names = new Set(calls.flatMap(({ headers }) => Object.keys(headers)));
  return {
    worst: findFullest(delays ? ran : calls, windowMs),
    edge,
    burst,
    headers: [...names].filter((name) => claimHeaders.test(name)),
    checks,
    ...(bypasses && { bypasses }),
  };
}

/** Returns the most admitted calls that certainly were within `lengthMs`. */
export function findFullest(calls: readonly SeenCall[], lengthMs: number): Span {
  const admitted = calls.filter(({ allowed }) => allowed);
  let fullest = { count: 0, from: 0, to: 0 };
  for (const { from } of admitted) {
    const within = admitted.filter((call) => call.from >= from && call.to < from + lengthMs - 1);
    if (within.length > fullest.count)
      fullest = { count: within.length, from, to: Math.max(...within.map(({ to }) => to)) };
  }
  return fullest;
}

/** Fills the windows before and after an edge. A call begins the first window if the clock does not. */
async function burstAtEdge(session: Session, finding: Finding): Promise<Span> {
  const { limit, windowMs, phaseMs, names, countsRefusals } = finding;
  const before = session.calls.length;
  const soon = session.target.now() + 1.1 * windowMs;
  const isByClock = names[0] === 'fixed-window' || names[0] === 'two-window-counter';
  const edge = Math.ceil((soon - (phaseMs ?? 0)) / windowMs) * windowMs + (phaseMs ?? 0);
  await session.follow('edge', {
    windowMs,
    begin: isByClock ? edge : soon,
    fills: [
      [0, isByClock ? 0 : 1],
      [0.94, limit],
      [1.04, limit],
    ],
    // Until the first of them has left.
    poll: countsRefusals ? undefined : { from: 0, every: 1 / 50, until: 1.9 },
  });
  return findFullest(session.calls.slice(before), windowMs / 2);
}

/** Calls more than 1 s before the time that the last refusal names, and at that time. */
async function checkWait(session: Session, header: 'Retry-After' | 'reset'): Promise<Check[]> {
  const refusal = session.calls.at(-1);
  if (!refusal || refusal.allowed) return [];
  const { retryAfterMs, resetMs } = readClaims(refusal.headers);
  const waitMs = header === 'reset' ? resetMs : retryAfterMs;
  if (waitMs === undefined) return header === 'reset' ? [] : [line(header, 'A refusal has none.')];
  const name = `${header}: ${waitMs / 1_000} s`;
  if (waitMs > 600_000) return [line(name, 'Too long to wait for.')];
  const until = refusal.from + waitMs - 1_000;
  if (header === 'Retry-After' && until - ROUNDING_MS > session.target.now()) {
    await session.target.sleepUntil(until - ROUNDING_MS);
    const { allowed, to } = await session.call('retry');
    if (allowed && to > until) return [line(name, 'Cannot be said: an answer was late.')];
    if (allowed) return [line(name, 'It is too long: a call was admitted more than 1 s earlier.', false)];
  }
  await session.target.sleepUntil(refusal.to + waitMs + ROUNDING_MS);
  const { allowed } = await session.call('retry');
  const text = `${allowed ? '' : 'It is too short: '}at that time, a call was ${allowed ? 'admitted' : 'refused'}.`;
  return [line(name, text, allowed)];
}

/** Compares the numbers of the headers with the measured ones. */
function checkNumbers(calls: readonly SeenCall[], { limit, windowMs }: Finding): Check[] {
  const checks: Check[] = [];
  const first = readClaims(calls[0]?.headers ?? {});
  if (first.limit !== undefined)
    checks.push(line(`limit: ${first.limit}`, `Measured: ${limit}.`, first.limit === limit));
  if (first.windowMs !== undefined) {
    const isNear = Math.abs(first.windowMs - windowMs) < Math.max(1_000, 0.05 * windowMs);
    checks.push(line(`window: ${first.windowMs / 1_000} s`, `Measured: ${windowMs / 1_000} s.`, isNear));
  }
  // A unit that remains cannot be lost in a quick series. If none remains, one may return at any time.
  const promised = calls.filter((call, index) => {
    const { from, to } = calls[index - 1] ?? call;
    const { remaining = 0 } = readClaims(calls[index - 1]?.headers ?? {});
    return remaining > 0 && call.from >= to && call.to - from < windowMs / (4 * limit);
  });
  const kept = promised.filter(({ allowed }) => allowed).length;
  const text = `${kept} of ${promised.length} calls that it promised were admitted.`;
  if (promised.length > 0) checks.push(line('remaining', text, kept >= 0.95 * promised.length));
  return checks;
}

/** The bypass by the path. */
export const OTHER_CASE = 'another case of the path';

const listVariations = (address: string): Record<string, Variation> => ({
  'X-Forwarded-For': { headers: { 'x-forwarded-for': address } },
  Forwarded: { headers: { forwarded: `for=${address}` } },
  'X-Real-IP': { headers: { 'x-real-ip': address } },
  [OTHER_CASE]: { hasOtherCase: true },
});

/** Calls a full window with what may name another caller, twice. It counts if plain calls before and after are refused. */
async function findBypasses({ calls, fill, call }: Session, finding: Finding): Promise<string[] | undefined> {
  const usual = calls.find(({ allowed }) => allowed)?.status;
  const [first, second] = ['203.0.113.7', '198.51.100.23'].map(listVariations);
  const found: string[] = [];
  for (const name of Object.keys(first ?? {})) {
    let isNew = true;
    for (const variation of [first?.[name], second?.[name]]) {
      await fill('bypass', 2 * finding.limit);
      const before = calls.at(-1);
      const varied = await call('bypass', variation);
      const after = await call('bypass');
      isNew &&= before?.allowed === false && varied.status === usual && !after.allowed;
      // A unit may have returned for any caller.
      const isSlow = after.to - (before?.from ?? 0) > finding.windowMs / finding.limit;
      if (isNew && isSlow) return undefined;
    }
    if (isNew) found.push(name);
  }
  return found;
}
