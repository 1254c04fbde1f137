import { getOrCreate } from '../get-or-create';
import { emitWarning, LimiterOptionError } from '../options';
import { createShareWrites, errorText, type RedisHost, readConnectionError } from './ioredis-store';
import { createRunnerStore, createScriptRunner, type ScriptRunner } from './redis-store';
import type { Store, StoreUser } from './store';
import { ignoreOutage, StoreUnavailableError, withinStoreTimeout } from './store-error';

/** A client that `connectRedis` made. */
export interface OwnClient {
  host: RedisHost;
  /** Calls the functions for every connection, and for every failed attempt to connect. Goes on until `disconnect`. */
  connect(on: { ready: () => void; error: (error: Error) => void }): void;
  /** Ends everything that keeps the process alive. */
  disconnect(): void;
}

/** How to connect: `key` identifies the client and all its options. */
export interface ConnectionSpec {
  key: string;
  isCluster: boolean;
  createClient(): OwnClient;
}

/** A connection that limiters share. Plain data, because copies of this module may be of different versions. */
interface Connection {
  host: RedisHost;
  disconnect(): void;
  users: Set<StoreUser>;
  /** Resolves when the first attempt to connect has succeeded or failed. */
  attempt: Promise<void>;
  isAttempted(): boolean;
  lastError(): Error | undefined;
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
  let used: { connection: Connection; runner: ScriptRunner } | undefined;
  let isClosed = false;

  function use() {
    if (isClosed) throw new StoreUnavailableError('The store is closed.', { kind: 'closed' });
    if (used) return used;
    const connection = acquire(spec, user);
    const { host } = connection;
    used = {
      connection,
      runner: createScriptRunner(host, { onWarning: user.onWarning, send: createShareWrites(host) }),
    };
    return used;
  }

  async function run<Reply>(call: (runner: ScriptRunner) => Promise<Reply>, waitMs: number): Promise<Reply> {
    const { connection, runner } = use();
    // A call that has waited too long is not sent.
    if (!connection.isAttempted()) await withinStoreTimeout(connection.attempt, waitMs);
    const reply = call(runner);
    pending.add(reply);
    return reply.finally(() => pending.delete(reply));
  }

  const runner: ScriptRunner = {
    run: (...call) => run((connected) => connected.run(...call), user.timeoutMs),
    load: (options) => run((connected) => connected.load(options), READY_TIMEOUT_MS),
  };
  return {
    ...createRunnerStore(runner, spec),
    async connectionError() {
      return used && readConnectionError(used.connection.host, used.connection.lastError());
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

function openConnection({ host, connect, disconnect }: OwnClient): Connection {
  const users = new Set<StoreUser>();
  let lastError: Error | undefined;
  let isOutage = false;
  let isAttempted = false;
  const attempt = new Promise<void>((resolve) => {
    function endAttempt(): void {
      isAttempted = true;
      resolve();
    }
    connect({
      ready() {
        isOutage = false;
        endAttempt();
      },
      error(error) {
        lastError = error;
        endAttempt();
        if (isOutage) return;
        isOutage = true;
        // After a hot reload, the limiter of the newest module.
        const reporter = Array.from(users).at(-1);
        reporter?.onWarning(
          `Redis is lost: ${errorText(error)}. Until it is connected again, onStoreError of each policy decides.`,
        );
      },
    });
  });
  return {
    ...{ host, disconnect, users, attempt },
    isAttempted: () => isAttempted,
    lastError: () => lastError,
  };
}

/** Returns a text that identifies options. Functions are identified by their source text, which a hot reload keeps. */
export function keyOfOptions(client: string, options: object): string {
  const text = JSON.stringify(options, (_name, value: unknown) =>
    typeof value === 'function' ? String(value) : value,
  );
  return `${client} ${text}`;
}

/** Reads the URLs of a target. Throws a `LimiterOptionError` without one, and for one that is no URL of Redis. */
export function readUrls(target: unknown): { urls: readonly string[]; isCluster: boolean } {
  const isCluster = Array.isArray(target);
  const urls: unknown[] = isCluster ? target : [target];
  if (urls.length === 0) throw urlError(target);
  return { urls: urls.map(readUrl), isCluster };
}

function readUrl(url: unknown): string {
  if (typeof url !== 'string' || url === '') throw urlError(url);
  // A text that is no URL may have a password.
  if (!URL.canParse(url)) throw urlError('a text that is not a URL');
  const { protocol, href } = new URL(url);
  if (protocol !== 'redis:' && protocol !== 'rediss:') throw urlError(`a text with the protocol ${protocol}`);
  return href;
}

function urlError(value: unknown): LimiterOptionError {
  const fix =
    'Give the URL of Redis, as in "redis://127.0.0.1:6379" or "rediss://user:password@host:6380", and a list of URLs for a cluster.';
  return new LimiterOptionError('url', value, fix, 'connectRedis');
}
