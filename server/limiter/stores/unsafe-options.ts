/** An option of a client that the limiter needs, found by its path: `socket.connectTimeout`. */
interface Rule {
  isSafe: (value: unknown) => boolean;
  /** What happens otherwise. */
  risk: string;
  /** The option as the user writes it. */
  fix: string;
}

/** A lost store is used again within 10 s. */
const MAX_CONNECT_MS = 5_000;
const MAX_SOCKET_MS = 9_000;

const isFunction = (value: unknown) => typeof value === 'function';
const isWithin = (max: number) => (value: unknown) => Number(value) > 0 && Number(value) <= max;
const isFalse = (value: unknown) => value === false;

const QUEUE_RISK = 'Calls wait while Redis is down, and are charged after they were answered.';
const TWICE_RISK = 'A call whose connection is lost is sent again, and may be charged twice.';
const DEAD_RISK = 'A dead connection that looks open is used for minutes.';
const CONNECT_RISK = 'A host that does not answer is tried for longer than 5 s.';

/** Of a connection of ioredis or iovalkey, also to a node of a cluster. */
const connection: Record<string, Rule> = {
  connectTimeout: { isSafe: isWithin(MAX_CONNECT_MS), risk: CONNECT_RISK, fix: 'connectTimeout: 2_000' },
  socketTimeout: { isSafe: isWithin(MAX_SOCKET_MS), risk: DEAD_RISK, fix: 'socketTimeout: 5_000' },
};

const offlineQueue: Rule = { isSafe: isFalse, risk: QUEUE_RISK, fix: 'enableOfflineQueue: false' };

/** Of a single ioredis or iovalkey client. */
export const IOREDIS_RULES: Record<string, Rule> = {
  enableOfflineQueue: offlineQueue,
  maxRetriesPerRequest: {
    isSafe: (value) => value === 0,
    risk: 'A call whose connection is lost waits for the next ones.',
    fix: 'maxRetriesPerRequest: 0',
  },
  autoResendUnfulfilledCommands: {
    isSafe: isFalse,
    risk: TWICE_RISK,
    fix: 'autoResendUnfulfilledCommands: false',
  },
  retryStrategy: {
    isSafe: isFunction,
    risk: 'A lost connection is never replaced.',
    fix: 'retryStrategy: (attempt) => Math.min(2 ** attempt * 25, 500)',
  },
  reconnectOnError: {
    isSafe: isFunction,
    risk: 'A primary that became a replica is used for ever.',
    fix: "reconnectOnError: (error) => error.message.includes('READONLY')",
  },
  ...connection,
};

/** Of an ioredis or iovalkey cluster. */
export const IOREDIS_CLUSTER_RULES: Record<string, Rule> = {
  enableOfflineQueue: offlineQueue,
  retryDelayOnFailover: {
    isSafe: (value) => value === 0,
    risk: TWICE_RISK,
    fix: 'retryDelayOnFailover: 0',
  },
  ...Object.fromEntries(
    Object.entries(connection).map(([name, rule]) => [
      `redisOptions.${name}`,
      { ...rule, fix: `redisOptions: { ${rule.fix} }` },
    ]),
  ),
};

/** Of a node-redis client, also of a node of a cluster, whose options are the `defaults` of the cluster. */
export const NODE_REDIS_RULES: Record<string, Rule> = {
  disableOfflineQueue: {
    isSafe: (value) => value === true,
    risk: QUEUE_RISK,
    fix: 'disableOfflineQueue: true',
  },
  'socket.reconnectStrategy': {
    isSafe: (value) => !isFalse(value),
    risk: 'A lost connection is never replaced.',
    fix: 'socket: { reconnectStrategy: 500 }',
  },
  'socket.connectTimeout': {
    isSafe: (value) => value === undefined || isWithin(MAX_CONNECT_MS)(value),
    risk: CONNECT_RISK,
    fix: 'socket: { connectTimeout: 2_000 }',
  },
};

/** Clients whose options were checked. */
const checked = new WeakSet<object>();

/** Lists the unsafe options of a given client, each with its fix. None if the client was checked before. */
export function listUnsafeOptions(
  client: object,
  { name, options, rules }: { name: string; options: unknown; rules: Readonly<Record<string, Rule>> },
): string[] {
  if (checked.has(client) || typeof options !== 'object' || options === null) return [];
  checked.add(client);
  return Object.entries(rules).flatMap(([path, { isSafe, risk, fix }]) => {
    const value = path.split('.').reduce<unknown>((part, field) => Object(part)[field], options);
    if (isSafe(value)) return [];
    const shown = typeof value === 'function' ? 'a function' : String(value);
    return [`${name}: ${path} of the client is ${shown}. ${risk} Set ${fix}, or use connectRedis.`];
  });
}
