import { createRandomId } from '../crypto';
import { LimiterOptionError } from '../options';
import type { Store, StoreKeys } from '../stores/store';
import { replyCodeOf, ScriptError, StoreUnavailableError } from '../stores/store-error';
import type { SendCommand } from './batcher';

/** A call without levels: it reads and writes a request id, which lives this long, in ms. */
const policyArgs = { kind: 'decide', levels: [], levelIndexes: [], cost: 1, requestTtlMs: 1_000 } as const;

/** A call without levels has no keys by level. */
const NO_KEYS = {} as StoreKeys;

/** Checks of the store. */
export interface Readiness {
  /**
   * Loads the functions of the store, and makes a decision on a key of its own, which expires in a second. Throws a `ScriptError` if
   * a function does not compile, and a `StoreUnavailableError` that names the missing right or setting.
   */
  ready(): Promise<void>;
  /** Makes a decision on a key of its own. Throws `StoreUnavailableError` if the store cannot decide. */
  testStore(): Promise<void>;
}

/** Creates the checks of the store of a limiter. */
export function createReadiness(parts: {
  store: Store;
  sendCommand: SendCommand;
  ensureOpen: () => void;
  prefix: string;
  onWarning: (message: string) => void;
  hasQueues: boolean;
}): Readiness {
  const { store, sendCommand, ensureOpen, prefix, onWarning, hasQueues } = parts;

  async function testStore(): Promise<void> {
    // A replay would write nothing, and a full Redis still reads.
    const key = `${prefix}{store-test}:${createRandomId()}`;
    const request = { key, input: 1 };
    await sendCommand({ policyArgs, keys: NO_KEYS, cost: 1, request }, ({ outcome }) => {
      if (outcome !== 'admitted') throw new TypeError(`the store replied ${outcome} to a test`);
    });
  }
  return {
    testStore,
    async ready() {
      ensureOpen();
      try {
        await store.ready({ hasQueues, onWarning });
        await testStore();
      } catch (cause) {
        throw await readyErrorOf(cause, { store, prefix });
      }
    },
  };
}

/** The fix of each refusal, found by the text of the reply. `{prefix}` is the prefix of the limiter's keys. */
const FIXES: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT/, 'Start Redis, or correct its URL.'],
  [/^DENIED/, 'Set a password in Redis and in the client, or connect over the loopback address.'],
  [
    /answered 429|max (?:daily )?requests? limit/i,
    'The database admits no more requests. Raise its plan, or wait until the limit resets.',
  ],
  [
    /REST server answered [34]|auth token/,
    'Give restStore the address of the REST API and its standard token, which may write.',
  ],
  [/^NOAUTH/, 'Give the client the password of Redis.'],
  [/^WRONGPASS|invalid password/i, 'Correct the user or the password of the client.'],
  [/^READONLY/, 'This is a replica. Connect to its primary.'],
  [
    /^(?:MOVED|ASK|CROSSSLOT)/,
    'This is a cluster. Use the cluster client: `new Cluster`, or `createCluster` of node-redis.',
  ],
  [/^OOM/, 'The memory is full. Raise maxmemory, and set maxmemory-policy to noeviction.'],
  [
    /undeclared|KEYS array|should be passed using/i,
    'Scripts may use only literal keys here, and the limiter computes which of its KEYS it uses. Switch the check off: script_check_enable 0 of Alibaba Cloud, default_lua_flags allow-undeclared-keys of Dragonfly.',
  ],
  [/^NOPERM.*\bkeys?\b/, 'Allow the user the keys `{prefix}*`: ACL SETUSER NAME ~{prefix}*.'],
  [
    /ACL failure in script|user executing the script/,
    'Allow the user the commands of the scripts: ACL SETUSER NAME +@string +@hash +@sortedset +@keyspace +time.',
  ],
  [
    /^NOPERM|unknown command|unsupported|not support|not available|disabled|not allowed|not permitted|forbidden/i,
    'The limiter needs Lua: allow FCALL and FUNCTION, or EVALSHA and EVAL. A service without either cannot be its store.',
  ],
];

/** Converts the failure of `ready()` to an error that names the missing right or setting. */
export async function readyErrorOf(
  cause: unknown,
  { store, prefix }: { store: Store; prefix: string },
): Promise<unknown> {
  if (cause instanceof ScriptError || cause instanceof LimiterOptionError) return cause;
  const failure = cause instanceof StoreUnavailableError ? (cause.cause ?? cause) : cause;
  const isReply = replyCodeOf(failure) !== undefined;
  // The error of a call without a connection has no cause.
  const lost = isReply ? undefined : await store.connectionError?.();
  const text = lost ?? (failure instanceof Error ? failure.message : String(failure));
  const fix = FIXES.find(([pattern]) => pattern.test(text))?.[1].replaceAll('{prefix}', prefix);
  return new StoreUnavailableError(`The store cannot decide: ${text}${fix ? ` — ${fix}` : ''}`, { cause });
}
