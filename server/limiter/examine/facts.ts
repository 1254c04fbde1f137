import { claimHeaders, readClaims } from './claims';
import type { Finding } from './find';
import { MAX_PARALLEL, type Session } from './session';
import type { SeenCall, Variation } from './target';

/** A statement of the server, and what the calls say about it. */
export interface Check {
  claim: string;
  isTrue: boolean | undefined;
  seen: string;
}

/** The findings besides the algorithm. */
export interface Facts {
  /** The window with most admitted calls. */
  worst: { count: number; from: number; to: number };
  /** Calls admitted around an edge, in `withinMs`. */
  edge: { count: number; withinMs: number };
  /** Parallel calls, and the admitted ones of them. A race admits more than the limit twice. */
  burst: { sent: number; admitted: number[]; isRace: boolean };
  headers: string[];
  checks: Check[];
  /** The changes of a call that give its caller a new window. `undefined` of a limiter that delays calls, where it is not tried. */
  bypasses?: string[];
}

/** Slack of times that the server rounds, in ms. */
const ROUNDING_MS = 40;

/** Shows how far the limiter is from its limit, and whether its answers are true. */
export async function collectFacts(session: Session, finding: Finding): Promise<Facts> {
  const { limit, windowMs } = finding;
  const edge = await burstAtEdge(session, finding);
  const sent = Math.min(MAX_PARALLEL, Math.max(2 * limit, limit + 10));
  const admitted: number[] = [];
  const checks: Check[] = [];
  for (const time of [1, 2]) {
    await session.target.sleepUntil(awayFromEdge(session.target.now() + 1.1 * windowMs, finding));
    const burst = await session.callTogether('burst', sent);
    admitted.push(burst.filter(({ allowed }) => allowed).length);
    if (time === 1) checks.push(...(await checkRetryAfter(session, burst.at(-1))));
  }
  const delays = finding.names[0] === 'leaky-bucket';
  // A delayed call runs when its answer comes.
  const ran = delays
    ? session.calls.map((call) => ({ ...call, from: Math.max(call.from, call.to - ROUNDING_MS) }))
    : session.calls;
  return {
    worst: findWorstWindow(ran, windowMs),
    edge,
    // A bucket returns units while the calls are on their way.
    burst: { sent, admitted, isRace: Math.min(...admitted) > limit + 1 },
    headers: claimHeaders.filter((name) => session.calls.some(({ headers }) => name in headers)),
    checks: [...checkNumbers(session.calls, finding), ...checks],
    ...(!delays && { bypasses: await findBypasses(session, limit) }),
  };
}

/** Returns the admitted calls that certainly were in one window: from the sending of the first to the answer of the last. */
export function findWorstWindow(calls: readonly SeenCall[], windowMs: number): Facts['worst'] {
  const admitted = calls.filter(({ allowed }) => allowed);
  let worst = { count: 0, from: 0, to: 0 };
  for (const { from } of admitted) {
    const inWindow = admitted.filter((call) => call.from >= from && call.to < from + windowMs - 1);
    if (inWindow.length > worst.count)
      worst = { count: inWindow.length, from, to: Math.max(...inWindow.map(({ to }) => to)) };
  }
  return worst;
}

/** One call, which begins a window if the clock does not, the others just before the edge, then all that are admitted until the first of them has left. */
async function burstAtEdge(session: Session, { limit, windowMs, phaseMs, names, countsRefusals }: Finding) {
  await session.sleep(1.1 * windowMs);
  const begin = session.target.now();
  const isByClock = names[0] === 'fixed-window' || names[0] === 'two-window-counter';
  if (!isByClock) await session.call('edge');
  const edge =
    isByClock && phaseMs !== undefined
      ? nextEdge(begin + 0.4 * windowMs, { windowMs, phaseMs })
      : begin + windowMs;
  await session.target.sleepUntil(edge - 0.06 * windowMs);
  const before = session.calls.length;
  if (names[0] === 'leaky-bucket') await session.callTogether('edge', limit);
  else await session.fill('edge', limit);
  const first = session.calls[before]?.from ?? 0;
  const until = first + windowMs - ROUNDING_MS;
  await session.target.sleepUntil(edge + 0.04 * windowMs);
  await session.fill('edge', limit);
  if (!countsRefusals) await session.poll('edge', { everyMs: windowMs / 50, until });
  const near = session.calls.slice(before).filter(({ from }) => from < edge + 0.2 * windowMs);
  return {
    count: near.filter(({ allowed }) => allowed).length,
    withinMs: Math.round((near.at(-1)?.to ?? first) - first),
  };
}

function nextEdge(instant: number, { windowMs, phaseMs }: { windowMs: number; phaseMs: number }): number {
  return Math.ceil((instant - phaseMs) / windowMs) * windowMs + phaseMs;
}

/** Returns a time from `instant` on that is not near an edge. */
function awayFromEdge(instant: number, { windowMs, phaseMs }: Finding): number {
  if (phaseMs === undefined) return instant;
  const part = ((((instant - phaseMs) / windowMs) % 1) + 1) % 1;
  return part < 0.1 || part > 0.8 ? instant + 0.3 * windowMs : instant;
}

/** Calls 1 s before the time of Retry-After, and at that time. */
async function checkRetryAfter(session: Session, refusal: SeenCall | undefined): Promise<Check[]> {
  const { retryAfterMs } = refusal ? readClaims(refusal.headers, Date.now()) : {};
  if (!refusal || refusal.allowed) return [];
  if (retryAfterMs === undefined)
    return [{ claim: 'Retry-After', isTrue: undefined, seen: 'A refusal has none.' }];
  const claim = `Retry-After: ${retryAfterMs / 1_000} s`;
  if (retryAfterMs > 600_000) return [{ claim, isTrue: undefined, seen: 'Too long to wait for.' }];
  const earlyAt = refusal.from + retryAfterMs - 1_000 - ROUNDING_MS;
  if (earlyAt > session.target.now()) {
    await session.target.sleepUntil(earlyAt);
    const early = await session.call('retry');
    if (early.allowed && early.to < refusal.from + retryAfterMs - 1_000)
      return [{ claim, isTrue: false, seen: 'More than 1 s earlier, a call was admitted.' }];
  }
  await session.target.sleepUntil(refusal.to + retryAfterMs + ROUNDING_MS);
  const { allowed } = await session.call('retry');
  return [{ claim, isTrue: allowed, seen: `At that time, a call was ${allowed ? 'admitted' : 'refused'}.` }];
}

/** Compares the numbers of the headers with the measured ones. */
function checkNumbers(calls: readonly SeenCall[], { limit, windowMs }: Finding): Check[] {
  const checks: Check[] = [];
  const claims = calls.map(({ headers }) => readClaims(headers, Date.now()));
  const [first] = claims;
  if (first?.limit !== undefined)
    checks.push({
      claim: `limit ${first.limit}`,
      isTrue: first.limit === limit,
      seen: `Measured: ${limit}.`,
    });
  if (first?.windowMs !== undefined)
    checks.push({
      claim: `window ${first.windowMs / 1_000} s`,
      isTrue: Math.abs(first.windowMs - windowMs) < Math.max(1_000, 0.05 * windowMs),
      seen: `Measured: ${windowMs / 1_000} s.`,
    });
  const pairs = calls.flatMap((call, index) => {
    const next = calls[index + 1];
    const remaining = claims[index]?.remaining;
    // A unit may return between two calls, except between those of a quick series.
    return next &&
      remaining !== undefined &&
      next.to - call.from < windowMs / (4 * limit) &&
      next.from >= call.to
      ? [{ remaining, next }]
      : [];
  });
  const wrong = pairs.filter(({ remaining, next }) => remaining > 0 !== next.allowed);
  if (pairs.length > 0)
    checks.push({
      claim: 'remaining calls',
      isTrue: wrong.length <= pairs.length / 20,
      seen: `${pairs.length - wrong.length} of ${pairs.length} next calls were answered as it said.`,
    });
  return checks;
}

const PRETENDED = ['203.0.113.7', '198.51.100.23'];

/** Calls a full window with what may name another caller. It counts if a plain call before and after is refused, twice. */
async function findBypasses(session: Session, limit: number): Promise<string[]> {
  const variations: Record<string, (address: string) => Variation> = {
    'X-Forwarded-For': (address) => ({ headers: { 'x-forwarded-for': address } }),
    Forwarded: (address) => ({ headers: { forwarded: `for=${address}` } }),
    'X-Real-IP': (address) => ({ headers: { 'x-real-ip': address } }),
    'another case of the path': () => ({ hasOtherCase: true }),
  };
  const usual = session.calls.find(({ allowed }) => allowed)?.status;
  const found: string[] = [];
  for (const [name, vary] of Object.entries(variations)) {
    let admitted = 0;
    const varied: SeenCall[] = [];
    for (const address of PRETENDED) {
      await session.fill('bypass', 2 * limit);
      const call = await session.call('bypass', vary(address));
      varied.push(call);
      const after = await session.call('bypass');
      if (call.allowed && call.status === usual && !after.allowed) admitted += 1;
    }
    if (admitted === PRETENDED.length) found.push(name);
    else session.calls.push(...varied.filter(({ status }) => status === usual));
  }
  return found;
}
