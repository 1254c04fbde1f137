import type { Experiment, RunExperiment } from '../experiments/experiment';
import { clockOrigin } from '../experiments/experiment-limiter';
import { resolvePolicy } from '../limiter/index';
import { worstWindow } from './decided-call';
import { createSimulation } from './simulation';

export interface FairnessInput {
  /** Shoppers who come back up to half a second after the countdown of a refusal. */
  people: number;
  /** Shoppers whose program calls 200 times in each window. */
  pollers: number;
  limit: number;
  windowMs: number;
  /** The run ends with the last coupon. Null: a coupon for everyone. */
  stock: number | null;
  signal?: AbortSignal | undefined;
}

/** The same arrivals on a full window, with refusals only and with the queue. */
export interface Fairness {
  refusals: FairnessSide;
  queue: FairnessSide;
}

export interface FairnessSide {
  people: FairnessGroup;
  pollers: FairnessGroup;
  /** Calls that reached the limiter. */
  calls: number;
  /** Admissions in the fullest window, with those before the run. */
  worst: number;
  /** Time of the last admission, in ms. */
  endsAt: number;
}

export interface FairnessGroup {
  count: number;
  /** Times of admission in ms, ascending. */
  admittedAt: number[];
  /** From the first call to the admission. Null if none was admitted. */
  meanWaitMs: number | null;
}

interface Shopper {
  name: string;
  isPoller: boolean;
  firstAt: number;
  /** Delay of this shopper after a countdown. 0 to 500 ms. */
  reactionMs: number;
  admittedAt?: number;
}

/** Every 50 ms in a window of 10 s: twenty times as often as a person who presses once a second. */
const POLLS_PER_WINDOW = 200;
const MAX_REACTION_MS = 500;
const bounds = { maxLength: 1_000, maxWaitMs: 86_400_000 };

/** Creates the comparison of refusals with the queue. */
export function createCompareFairness({ runExperiment }: { runExperiment: RunExperiment }) {
  return function compareFairness({ signal, ...input }: FairnessInput): Promise<Fairness> {
    return runExperiment({ signal }, async (experiment) => ({
      refusals: await play(experiment, 'refusals', input),
      queue: await play(experiment, 'queue', input),
    }));
  };
}

async function play(
  experiment: Experiment,
  side: keyof Fairness,
  { people, pollers, limit, windowMs, stock }: Omit<FairnessInput, 'signal'>,
): Promise<FairnessSide> {
  const limiter = experiment.limiter();
  const origin = clockOrigin(windowMs);
  const policy = resolvePolicy<unknown>(
    {
      levels: [
        // The own limit of a shopper is not what this compares.
        { level: 'user', limit: 10_000, windowMs },
        { level: 'global', limit, windowMs, ...(side === 'queue' && { queue: bounds }) },
      ],
      requestId: () => 'id',
      message: { en: 'Refused.' },
    },
    side,
  );
  const simulation = createSimulation();
  const shoppers = listShoppers({ people, pollers, windowMs });
  let left = Math.min(stock ?? shoppers.length, shoppers.length);
  let calls = 0;

  // The sale opened half a window ago: its units free within a tenth of a window, half a window from now.
  const earlier = Array.from({ length: limit }, (_, index) =>
    Math.floor(windowMs * (-0.5 + (0.1 * index) / limit)),
  );
  for (const at of earlier) await limiter.decideAt(origin + at, policy, { user: `earlier ${at}` });

  function admit(shopper: Shopper, at: number): void {
    if (left === 0 || shopper.admittedAt !== undefined) return;
    left -= 1;
    shopper.admittedAt = at;
  }

  /** Decides a call. Returns the wait of a refusal. */
  async function callOnce(shopper: Shopper): Promise<number | undefined> {
    const now = simulation.timers.now();
    const decision = await limiter.decideAt(origin + now, policy, { user: shopper.name });
    if (!decision.allowed) return decision.refusedBy.retryAfterMs ?? undefined;
    admit(shopper, now);
    return undefined;
  }

  /** Joins the queue. A shopper who waits calls no more, but a program does. */
  async function joinOnce(shopper: Shopper): Promise<undefined> {
    const call = {
      subjects: { user: shopper.name },
      requestId: shopper.name,
      group: 'coupon',
      payload: shopper.name,
    };
    const joined = await limiter.queue(policy).join(call);
    if (!joined.queued && joined.decision.allowed) admit(shopper, simulation.timers.now());
  }

  async function visit(shopper: Shopper): Promise<void> {
    if (shopper.admittedAt !== undefined) return;
    calls += 1;
    const waitMs = await (side === 'queue' ? joinOnce(shopper) : callOnce(shopper));
    const now = simulation.timers.now();
    if (shopper.isPoller) simulation.at(now + windowMs / POLLS_PER_WINDOW, () => visit(shopper));
    else if (waitMs !== undefined) simulation.at(now + waitMs + shopper.reactionMs, () => visit(shopper));
  }

  const byName = new Map(shoppers.map((shopper) => [shopper.name, shopper]));
  const server =
    side === 'queue' &&
    limiter.queue(policy).serve({
      timers: simulation.timers,
      async onTurn({ payload, servedAt }) {
        const shopper = byName.get(payload);
        if (shopper) admit(shopper, servedAt - origin);
        return { outcome: 'served' };
      },
    });
  for (const shopper of shoppers) simulation.at(shopper.firstAt, () => visit(shopper));
  try {
    await simulation.run({
      isDone: () => left === 0,
      onTime: (time) => limiter.setNow(origin + time),
      signal: experiment.signal,
    });
  } finally {
    if (server) await server.stop();
  }
  return summarize(shoppers, { calls, earlier, windowMs });
}

/** Returns the shoppers by their first call, all in the first half of a window. Pollers are spread evenly among people. */
function listShoppers({
  people,
  pollers,
  windowMs,
}: Pick<FairnessInput, 'people' | 'pollers' | 'windowMs'>): Shopper[] {
  const list = (count: number, isPoller: boolean) =>
    Array.from({ length: count }, (_, index) => ({
      name: `${isPoller ? 'poller' : 'person'} ${index}`,
      isPoller,
      firstAt: Math.floor(((index + 0.5) / count) * (windowMs / 2)),
      // A step that is prime to 500 spreads the reactions evenly, and the same in each run.
      reactionMs: (index * 197) % MAX_REACTION_MS,
    }));
  return [...list(people, false), ...list(pollers, true)].toSorted(
    (one, other) => one.firstAt - other.firstAt,
  );
}

function summarize(
  shoppers: readonly Shopper[],
  { calls, earlier, windowMs }: { calls: number; earlier: readonly number[]; windowMs: number },
): FairnessSide {
  const group = (isPoller: boolean): FairnessGroup => {
    const members = shoppers.filter((shopper) => shopper.isPoller === isPoller);
    const waits = members.flatMap(({ admittedAt, firstAt }) =>
      admittedAt === undefined ? [] : [admittedAt - firstAt],
    );
    return {
      count: members.length,
      admittedAt: members.flatMap(({ admittedAt }) => admittedAt ?? []).toSorted((one, other) => one - other),
      meanWaitMs: waits.length > 0 ? waits.reduce((sum, wait) => sum + wait, 0) / waits.length : null,
    };
  };
  const [people, pollers] = [group(false), group(true)];
  const admitted = [...people.admittedAt, ...pollers.admittedAt].toSorted((one, other) => one - other);
  return {
    ...{ people, pollers, calls },
    worst: worstWindow([...earlier, ...admitted], windowMs).count,
    endsAt: admitted.at(-1) ?? 0,
  };
}
