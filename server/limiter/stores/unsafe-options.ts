/** An option of a client by its path, its safe values, one of them, and what happens with another. */
type Rule = readonly [path: string, isSafe: (value: unknown) => boolean, fix: string, risk: string];

const is = (expected: unknown) => (value: unknown) => value === expected;
const isFunction = (value: unknown) => typeof value === 'function';
const isUpTo = (max: number) => (value: unknown) => Number(value) > 0 && Number(value) <= max;

const QUEUE = 'Calls wait while Redis is down, and are charged after they were answered.';
const TWICE = 'A call whose connection is lost is sent again, and may be charged twice.';
const FOR_EVER = 'A lost connection is never replaced.';
const SLOW = 'A host that does not answer is tried for longer than 5 s.';
const DEAD = 'A dead connection that looks open is used for minutes.';
const REPLICA = 'A primary that became a replica is used for ever.';
const WAITS = 'A call whose connection is lost waits for the next ones.';

/** Of a single ioredis or iovalkey client. */
export const IOREDIS_RULES: readonly Rule[] = [
  ['enableOfflineQueue', is(false), 'false', QUEUE],
  ['maxRetriesPerRequest', is(0), '0', WAITS],
  ['autoResendUnfulfilledCommands', is(false), 'false', TWICE],
  ['retryStrategy', isFunction, '(attempt) => Math.min(2 ** attempt * 25, 500)', FOR_EVER],
  ['reconnectOnError', isFunction, "(error) => error.message.includes('READONLY')", REPLICA],
  ['connectTimeout', isUpTo(5_000), '2_000', SLOW],
  ['socketTimeout', isUpTo(9_000), '5_000', DEAD],
];

/** Of an ioredis or iovalkey cluster. */
export const IOREDIS_CLUSTER_RULES: readonly Rule[] = [
  ['enableOfflineQueue', is(false), 'false', QUEUE],
  ['retryDelayOnFailover', is(0), '0', TWICE],
  ['redisOptions.connectTimeout', isUpTo(5_000), '2_000', SLOW],
  ['redisOptions.socketTimeout', isUpTo(9_000), '5_000', DEAD],
];

/** Of a node-redis client, also of a node of a cluster, whose options are the `defaults` of the cluster. */
export const NODE_REDIS_RULES: readonly Rule[] = [
  ['disableOfflineQueue', is(true), 'true', QUEUE],
  ['socket.reconnectStrategy', (value) => value !== false, '500', FOR_EVER],
  ['socket.connectTimeout', (value) => value === undefined || isUpTo(5_000)(value), '2_000', SLOW],
];

/** Clients whose options were checked. */
const checked = new WeakSet<object>();

/** Lists the unsafe options of a given client, each with its fix. None if the client was checked before. */
export function listUnsafeOptions(client: object, options: unknown, rules: readonly Rule[]): string[] {
  if (checked.has(client) || typeof options !== 'object' || options === null) return [];
  checked.add(client);
  return rules.flatMap(([path, isSafe, fix, risk]) => {
    const value = path.split('.').reduce<unknown>((part, field) => Object(part)[field], options);
    const shown = typeof value === 'function' ? 'a function' : String(value);
    return isSafe(value)
      ? []
      : `${path} of the client of Redis is ${shown}. ${risk} Set it to ${fix}, or use connectRedis.`;
  });
}
