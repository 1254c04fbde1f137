import { FloodgateError } from '../floodgate-error';
import { getOrCreate } from '../get-or-create';
import { emitWarning, LimiterOptionError, rejectUnknownOptions } from '../options';
import { createSend, errorText, type RedisHost, readConnectionError } from './ioredis-store';
import { createRedisStore, type SendToHost } from './redis-store';
import type { Store, StoreUser } from './store';
import { ignoreOutage, kindOf, StoreUnavailableError } from './store-error';
import { withinStoreTimeout } from './store-timeout';

/** A client that `connectRedis` made. */
export interface OwnClient {
  host: RedisHost;
  /** Calls the functions for every connection, and for every failed attempt to connect. Goes on until `disconnect`. */
  connect(on: { ready: () => void; error: (error: Error) => void }): void;
  /** Ends everything that keeps the process alive. */
  disconnect(): void;
}

/** The description of a connection: `key` identifies the client and all its options. */
export interface ConnectionSpec {
  key: string;
  isCluster: boolean;
  createClient(): OwnClient;
}

/** A connection that limiters share. Plain data, because copies of this module may be of different versions. */
interface Connection extends Pick<OwnClient, 'host' | 'disconnect'> {
  users: Set<StoreUser>;
  /** Resolves when the first attempt to connect has succeeded or failed. Then it is deleted. */
  attempt?: Promise<void> | undefined;
  /** The last error since it was connected. */
  lastError?: Error | undefined;
}

/** The longest time that `ready()` waits for the first connection, in ms. */
const READY_TIMEOUT_MS = 10_000;

/**
 * Creates a store that connects with its first call. Its connection is shared by all limiters of the process with the same
 * options, also of other copies of this module. The first calls wait for it as long as for a reply. While it is lost, calls fail
 * at once.
 */
export function createConnectedStore(spec: ConnectionSpec): Store {
  const forLimiter = (user: StoreUser) => createUserStore(spec, user);
  return { ...forLimiter({ timeoutMs: READY_TIMEOUT_MS, onWarning: emitWarning }), forLimiter };
}

function createUserStore(spec: ConnectionSpec, user: StoreUser): Store {
  const pending = new Set<Promise<unknown>>();
  let used: { connection: Connection; send: SendToHost } | undefined;
  let isClosed = false;

  function ensureOpen(cause?: unknown): void {
    if (isClosed) throw new StoreUnavailableError('The store is closed.', { kind: 'closed', cause });
  }

  async function connect(waitMs: number): Promise<SendToHost> {
    ensureOpen();
    if (!used) {
      const connection = acquire(spec, user);
      used = { connection, send: createSend(connection.host) };
    }
    const { connection, send } = used;
    // A call that has waited too long is not sent.
    if (connection.attempt) await withinStoreTimeout(connection.attempt, waitMs);
    ensureOpen();
    return send;
  }

  /** Throws why there was no connection. The client's error of a call does not say it. */
  function throwLost(error: unknown): never {
    if (error instanceof FloodgateError || kindOf(error) !== 'disconnected') throw error;
    ensureOpen(error);
    const cause = used?.connection.lastError;
    if (!cause) throw error;
    throw new StoreUnavailableError(`the store failed: ${errorText(cause)}`, { cause });
  }

  const send: SendToHost = async (call) => {
    const sendNow = await connect(user.timeoutMs);
    const reply = sendNow(call);
    pending.add(reply);
    return reply.finally(() => pending.delete(reply)).catch(throwLost);
  };
  const store = createRedisStore(send, { isCluster: spec.isCluster, onWarning: user.onWarning });
  return {
    ...store,
    async ready(options) {
      await connect(READY_TIMEOUT_MS);
      await store.ready(options);
    },
    async connectionError() {
      return used && readConnectionError(used.connection.host, used.connection.lastError);
    },
    async close() {
      isClosed = true;
      await ignoreOutage(withinStoreTimeout(Promise.allSettled(pending), user.timeoutMs), []);
      if (used) release(spec.key, used.connection, user);
    },
  };
}

/** The connections of this process by their keys. Next.js and hot reloads load several copies of this module. */
function connections(): Map<string, Connection> {
  const key = Symbol.for('floodgate-limiter.connections');
  const known: unknown = Reflect.get(globalThis, key);
  if (known instanceof Map) return known;
  const created = new Map<string, Connection>();
  // Not enumerable, because the keys have passwords.
  Object.defineProperty(globalThis, key, { value: created });
  return created;
}

function acquire({ key, createClient }: ConnectionSpec, user: StoreUser): Connection {
  const connection = getOrCreate(connections(), key, () => openConnection(createClient()));
  connection.users.add(user);
  return connection;
}

function release(key: string, connection: Connection, user: StoreUser): void {
  connection.users.delete(user);
  if (connection.users.size > 0) return;
  connections().delete(key);
  connection.disconnect();
}

/** The errors of clusters which follow the error of a node, and do not say why it has no connection. */
const LOST_CONNECTION = /^(?:Connection is closed|Failed to refresh slots|All the root nodes)/;

function openConnection({ host, connect, disconnect }: OwnClient): Connection {
  let isOutage = false;
  let endAttempt: () => void = () => undefined;
  const connection: Connection = {
    host,
    users: new Set(),
    disconnect() {
      disconnect();
      endAttempt();
    },
  };
  connection.attempt = new Promise<void>((resolve) => {
    endAttempt = resolve;
  }).then(() => {
    connection.attempt = undefined;
  });
  connect({
    ready() {
      isOutage = false;
      connection.lastError = undefined;
      endAttempt();
    },
    error(error) {
      if (!connection.lastError || !LOST_CONNECTION.test(error.message)) connection.lastError = error;
      endAttempt();
      if (isOutage) return;
      isOutage = true;
      // After a hot reload, the limiter of the newest module.
      const reporter = Array.from(connection.users).at(-1);
      reporter?.onWarning(
        `Redis is lost: ${errorText(connection.lastError)}. Until it is connected again, onStoreError of each policy decides.`,
      );
    },
  });
  return connection;
}

/** Returns a text that identifies options. Functions are identified by their source text, which a hot reload keeps. */
export function keyOfOptions(client: string, options: object): string {
  const text = JSON.stringify(options, (_name, value: unknown) =>
    typeof value === 'function' ? String(value) : value,
  );
  return `${client} ${text}`;
}

/** Reads the options of `connectRedis`. Throws a `LimiterOptionError` for an unknown one. */
export function readTarget<Options extends { url?: string | readonly string[] }>(
  target: string | readonly string[] | Options,
  names: readonly (keyof Options & string)[],
): Options | { url: string | readonly string[] } {
  if (typeof target !== 'object' || target === null || 'length' in target) return { url: target };
  rejectUnknownOptions('connectRedis', target, Object.fromEntries(names.map((name) => [name, true])));
  return target;
}

/** Reads the URLs of a target; a list is a cluster. Throws a `LimiterOptionError` for one that is no URL of Redis. */
export function readUrls(url: unknown): { urls: readonly string[]; isCluster: boolean } {
  const isCluster = Array.isArray(url);
  const urls: unknown[] = isCluster && url.length > 0 ? url : [url];
  return { urls: urls.map(readUrl), isCluster };
}

function readUrl(url: unknown): string {
  let problem = url;
  if (typeof url === 'string' && url !== '') {
    // A text that is no URL may have a password.
    const { protocol, href } = URL.canParse(url) ? new URL(url) : { protocol: 'none', href: '' };
    if (protocol === 'redis:' || protocol === 'rediss:') return href;
    problem = `a text with the protocol ${protocol}`;
  }
  const fix =
    'Give the URL of Redis, as in "redis://127.0.0.1:6379" or "rediss://user:password@host:6380", and a list of URLs for a cluster.';
  throw new LimiterOptionError('url', problem, fix, 'connectRedis');
}
