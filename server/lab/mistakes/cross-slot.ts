import { StoreUnavailableError } from '../../limiter';
import { defineScript } from '../../lua-scripts';
import { decidedCall, outcomeOf } from '../decided-call';
import { answer, type Experiment } from '../experiment';
import { inChunks } from '../in-chunks';
import { keySlot } from '../key-slot';
import { clockOrigin } from '../lab-clock';
import { labPolicy } from '../lab-limiter';
import { looksAt } from '../look-at-key';
import { NAIVE_LIVES_MS } from '../naive/naive-lives';
import type { KeySlot, Mistake, MistakeSide } from './mistake';

const limit = 5;
const userLimit = 3;
const windowMs = 10_000;
/** Two users, who call in turn. */
const calls = Array.from({ length: 8 }, (_, place) => ({ at: place * 100, user: `user-${(place % 2) + 1}` }));

/** One script over the keys of two levels, which a cluster keeps in one slot only if they share a hash tag. */
export async function crossSlot(experiment: Experiment): Promise<Mistake> {
  const { naive, naiveError } = await scattered(experiment);
  const naiveKeys = slotsOf(experiment.keys());
  const productKeys = experiment.newKeys();
  const product = await together(experiment);
  return {
    mistake: 'cross-slot',
    limit,
    windowMs,
    isCluster: experiment.clients[0].isCluster,
    naiveKeys,
    productKeys: slotsOf(productKeys()),
    naiveError,
    naive,
    product,
  };
}

async function scattered(experiment: Experiment): Promise<{ naive: MistakeSide; naiveError: string | null }> {
  const [client] = experiment.clients;
  const decide = defineScript(client, {
    command: 'floodgateLabTwoCounters',
    file: 'lab/two-counters.lua',
    numberOfKeys: 2,
  });
  const everybody = experiment.scatteredKey('everybody');
  const decisions = [];
  let naiveError: string | null = null;
  for (const { at, user } of calls) {
    const keys = [experiment.scatteredKey(user), everybody];
    const said = await answer(decide(keys, [userLimit, limit, NAIVE_LIVES_MS])).catch(crossSlotMessage);
    if (typeof said === 'string') {
      naiveError = said;
      break;
    }
    const [admitted, used] = Array.isArray(said) ? said : [];
    const remaining = Math.max(0, limit - Number(used));
    decisions.push({ at, allowed: admitted === 1, remaining, retryAfterMs: 0, delayMs: 0 });
  }
  const naive = {
    ...outcomeOf(decisions, windowMs),
    roundTrips: 1,
    keys: await looksAt(experiment, experiment.keys(), { origin: clockOrigin(windowMs) }),
  };
  return { naive, naiveError };
}

/** What Redis says to keys of several slots; throws whatever else went wrong. */
function crossSlotMessage(error: unknown): string {
  const said = error instanceof StoreUnavailableError ? error.cause : undefined;
  if (said instanceof Error && said.message.startsWith('CROSSSLOT')) return said.message;
  throw error;
}

async function together(experiment: Experiment): Promise<MistakeSide> {
  const own = experiment.newKeys();
  const origin = clockOrigin(windowMs);
  const limiter = experiment.limiter();
  const policy = labPolicy('product', [
    { level: 'user', limit: userLimit, windowMs },
    { level: 'global', limit, windowMs },
  ]);
  const decisions = await inChunks(
    calls,
    async ({ at, user }) => decidedCall(at, await limiter.decideAt(origin + at, policy, [user])),
    experiment,
  );
  return {
    ...outcomeOf(decisions, windowMs),
    roundTrips: limiter.roundTrips() / calls.length,
    keys: await looksAt(experiment, own(), { origin, packedBy: 'sliding-log' }),
  };
}

function slotsOf(keys: readonly string[]): KeySlot[] {
  return keys.map((key) => ({ key, slot: keySlot(key) }));
}
