import { getOrCreate } from '../get-or-create';
import { decodeReplies, encodeBatch } from './codec';
import { defineFunction, type FunctionHost, type FunctionOptions, type RunFunction } from './lua-function';
import { defineScript, type RunScript, type ScriptDefinition } from './lua-scripts';
import {
  decodeJoins,
  decodeMine,
  decodeServe,
  decodeVoid,
  encodeJoins,
  encodeMine,
  encodeServe,
  encodeVoid,
} from './queue-codec';
import { hashTagOf, type QueueStore, type Store, type StoreBan } from './store';

/** A script of the limiter. */
interface StoreScript extends ScriptDefinition {
  /** True if Redis may keep it as a function; see https://github.com/floodgate-limiter/floodgate/blob/main/docs/decisions/025-redis-function.md. */
  isFunction?: boolean;
}

/** Decides and peeks, and executes the commands on former calls. */
export const decideScript = {
  command: 'floodgateDecide',
  file: 'limiter/decide.lua',
  numberOfKeys: 'variable',
  isFunction: true,
} as const;

/** Decides calls that may wait. */
export const joinScript = {
  command: 'floodgateQueueJoin',
  file: 'limiter/queue-join.lua',
  numberOfKeys: 'variable',
  isFunction: true,
} as const;

/** Serves tickets and ends turns. */
export const serveScript = {
  command: 'floodgateQueueServe',
  file: 'limiter/queue-serve.lua',
  numberOfKeys: 'variable',
  isFunction: true,
} as const;

const scripts = {
  mine: { command: 'floodgateQueueMine', file: 'limiter/queue-mine.lua', numberOfKeys: 'variable' },
  void: { command: 'floodgateQueueVoid', file: 'limiter/queue-void.lua', numberOfKeys: 'variable' },
  listBans: { command: 'floodgateListBans', file: 'limiter/list-bans.lua', numberOfKeys: 1 },
  countBans: { command: 'floodgateCountBans', file: 'limiter/count-bans.lua', numberOfKeys: 1 },
  addBan: { command: 'floodgateAddBan', file: 'limiter/add-ban.lua', numberOfKeys: 2 },
  liftBan: { command: 'floodgateLiftBan', file: 'limiter/lift-ban.lua', numberOfKeys: 2 },
  clearWindow: { command: 'floodgateClearWindow', file: 'limiter/clear-window.lua', numberOfKeys: 2 },
  resetWindows: {
    command: 'floodgateResetWindows',
    file: 'limiter/reset-windows.lua',
    numberOfKeys: 'variable',
  },
  deleteKey: { command: 'floodgateDeleteKey', file: 'limiter/delete-key.lua', numberOfKeys: 1 },
} as const satisfies Record<string, StoreScript>;

/** Runs a script of the limiter on keys that are all in one slot. */
type RunStoreScript = (script: StoreScript, ...call: Parameters<RunScript>) => ReturnType<RunScript>;

/** Runs a script. A function can also be loaded. */
type Run = RunScript & Partial<Pick<RunFunction, 'load'>>;

/** Calls a host: a client, or a part of it. It rejects at once without a connection, and never sends a command twice. */
export type SendToHost = <Reply>(call: (host: FunctionHost) => Promise<Reply>) => Promise<Reply>;

/** Creates the store on the host of `send`, which is always the same. It needs no module of Node. */
export function createRedisStore(
  send: SendToHost,
  { isCluster = false, ...options }: FunctionOptions & { isCluster?: boolean | undefined } = {},
): Omit<Store, 'clock' | 'connectionError'> {
  const defined = new Map<string, Run>();
  const define = (host: FunctionHost, script: StoreScript): Run =>
    script.isFunction ? defineFunction(host, script, options) : defineScript(host, script);
  const runOf = (host: FunctionHost, script: StoreScript) =>
    getOrCreate(defined, script.file, () => define(host, script));
  return {
    ...createScriptStore((script, keys, args) => send((host) => runOf(host, script)(keys, args))),
    ...(isCluster && { slotOf: hashTagOf }),
    async ready({ hasQueues }) {
      const wanted = hasQueues ? [decideScript, joinScript, serveScript] : [decideScript];
      await Promise.all(wanted.map((script) => send(async (host) => runOf(host, script).load?.())));
    },
  };
}

/** Translates the commands of a store into calls of the scripts, and their replies into values. */
function createScriptStore(
  run: RunStoreScript,
): Omit<Store, 'slotOf' | 'clock' | 'connectionError' | 'ready'> {
  return {
    async decide(batch) {
      const { keys, args } = encodeBatch(batch);
      return decodeReplies(batch, await run(decideScript, keys, args));
    },
    async listBans(bansKey, clock) {
      const reply = await run(scripts.listBans, [bansKey], [clock ?? '']);
      if (!Array.isArray(reply)) throw new TypeError(`list-bans.lua replied ${JSON.stringify(reply)}`);
      return reply.map(decodeBan);
    },
    async countBans(bansKey, clock) {
      const reply = await run(scripts.countBans, [bansKey], [clock ?? '']);
      if (typeof reply !== 'number') throw new TypeError(`count-bans.lua replied ${JSON.stringify(reply)}`);
      return reply;
    },
    async addBan({ violations, bans }, { member, banMs, lapseMs }, clock) {
      const reply = await run(scripts.addBan, [violations, bans], [clock ?? '', member, banMs, lapseMs]);
      const [count, bannedUntil]: unknown[] = Array.isArray(reply) ? reply : [];
      return decodeBan([`${member}#${count}`, bannedUntil]);
    },
    async liftBan({ violations, bans }, { member, bannedUntil }) {
      return (await run(scripts.liftBan, [violations, bans], [member, bannedUntil])) === 1;
    },
    async clearWindow({ level, generation }, generationId) {
      await run(scripts.clearWindow, [level, generation], [generationId]);
    },
    async resetWindows(starts, { cursor, generationId }) {
      return String(await run(scripts.resetWindows, starts, [cursor, generationId]));
    },
    async deleteKey(key) {
      await run(scripts.deleteKey, [key], []);
    },
    queue: createQueueScripts(run),
  };
}

function createQueueScripts(run: RunStoreScript): QueueStore {
  return {
    async join(batch) {
      const { keys, args } = encodeJoins(batch);
      return decodeJoins(batch, await run(joinScript, keys, args));
    },
    async serve(command, clock) {
      const { keys, args } = encodeServe(command, clock);
      return decodeServe(await run(serveScript, keys, args));
    },
    async mine(command, clock) {
      const { keys, args } = encodeMine(command, clock);
      return decodeMine(command, await run(scripts.mine, keys, args));
    },
    async void(command, clock) {
      const { keys, args } = encodeVoid(command, clock);
      return decodeVoid(await run(scripts.void, keys, args));
    },
  };
}

function decodeBan(entry: unknown): StoreBan {
  const [member, bannedUntil]: unknown[] = Array.isArray(entry) ? entry : [];
  if (typeof member !== 'string' || typeof bannedUntil !== 'number')
    throw new TypeError(`list-bans.lua replied a ban ${JSON.stringify(entry)}`);
  return { member, bannedUntil };
}
