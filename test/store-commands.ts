import type { LevelAlgorithm } from '../server/limiter/policy/policy';
import type { DecideReply, PolicyArgs, Store, StoreKeys, StoreLevel } from '../server/limiter/stores/store';

/** Returns the keys of a call of a policy whose keys have this start; `level` returns those of its levels. */
export function testKeys(start: string, level: (index: number) => string): StoreKeys {
  return {
    level,
    generation: (index) => `${level(index)}:generation`,
    violations: (index) => `${level(index)}:violations`,
    banMember: (index) => level(index).slice(start.length + 1),
    bans: () => `${start}:bans`,
    queue: (part) => `${start}:${part}`,
  };
}

/** Returns an enforced level without punishment. */
export function testLevel(
  algorithm: LevelAlgorithm,
  numbers: { limit: number; windowMs: number; subWindows?: number | undefined },
): StoreLevel {
  const { limit, windowMs, subWindows = 10 } = numbers;
  return { algorithm, limit, windowMs, subWindows, mode: 'enforce' };
}

/** Returns the policy arguments of calls on these levels; a cost of 0 peeks. */
export function testArgs(
  levels: readonly StoreLevel[],
  others: Omit<Partial<PolicyArgs>, 'kind'> = {},
): PolicyArgs {
  const levelIndexes = levels.map((_level, index) => index);
  return { kind: others.cost === 0 ? 'peek' : 'decide', levels, levelIndexes, cost: 1, ...others };
}

/** Decides one call on one level. Throws its error. */
export async function decideOne(
  store: Pick<Store, 'decide'>,
  key: string,
  { policyArgs, clock }: { policyArgs: PolicyArgs; clock?: number | undefined },
): Promise<DecideReply> {
  const command = { policyArgs, keys: testKeys(key, () => key), cost: policyArgs.cost ?? 0 };
  const [reply] = await store.decide([{ command, clock }]);
  if (reply instanceof Error) throw reply;
  if (typeof reply !== 'object') throw new TypeError(`the store replied ${reply}`);
  return reply;
}

/** Creates a store that cannot be reached. */
export function downStore(error: Error = new Error('The client is offline')): Store {
  const fail = () => Promise.reject(error);
  return {
    ...{ decide: fail, listBans: fail, countBans: fail, addBan: fail, liftBan: fail },
    ...{ clearWindow: fail, resetWindows: fail, deleteKey: fail },
    queue: { join: fail, serve: fail, mine: fail, void: fail },
    ready: async () => undefined,
  };
}
