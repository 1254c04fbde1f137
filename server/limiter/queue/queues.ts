import { REQUEST_ID_TTL_MS } from '../decide/codec';
import { createRandomId } from '../decide/crypto';
import { type DecisionOutcome, listCountedSubjects } from '../decide/decision';
import { getOrCreate } from '../decide/get-or-create';
import type { Keys } from '../decide/key';
import { rejectUnknownOptions } from '../decide/limiter-options';
import type { Overrides } from '../policy/overrides';
import type { ResolvedPolicy } from '../policy/policy';
import type { Subjects } from '../policy/subject';
import type { Store, StoreScript } from '../stores/store';
import { withinStoreTimeout } from '../stores/store-error';
import type { Queue, QueueServer } from './queue';
import { listQueueKeys, SERVE_OPTIONS, toLine } from './queue-arguments';
import {
  decodeServe,
  decodeState,
  decodeTicket,
  decodeVoid,
  ListReader,
  type QueueNumbers,
} from './queue-codec';
import { createQueueJoin, joinScript, type QueueJoinOptions } from './queue-join';
import { createQueueServer, QUEUE_LEASE_MS } from './queue-server';

/** The script that serves tickets and ends turns. */
export const serveScript = {
  command: 'floodgateQueueServe',
  file: 'limiter/queue-serve.lua',
  numberOfKeys: 'variable',
  isFunction: true,
} as const;

const mineScript = {
  command: 'floodgateQueueMine',
  file: 'limiter/queue-mine.lua',
  numberOfKeys: 'variable',
} as const;

const voidScript = {
  command: 'floodgateQueueVoid',
  file: 'limiter/queue-void.lua',
  numberOfKeys: 'variable',
} as const;

const MAX_TICKET_IDS = 20;

interface QueuesOptions
  extends Pick<QueueJoinOptions, 'clock' | 'countedSubjects' | 'denials' | 'prepareCall' | 'pseudonymOf'> {
  store: Store;
  timeoutMs: number;
  overrides: Overrides;
  allKeys: Keys;
  onDecision: ((outcome: DecisionOutcome) => void) | undefined;
  /** Sends a script call on a key through the circuit breaker. */
  runOnStore: (key: string, send: () => Promise<unknown>) => Promise<unknown>;
}

/** The queues of a limiter. */
export interface Queues {
  /** Returns the queue of a policy. Throws a `RangeError` if no level of it has one. */
  of(policy: ResolvedPolicy): Queue;
  /** Makes the serving nodes of this process call the store: a raised limit makes turns earlier. */
  onWindowChange(): void;
}

/** Creates the queues of a limiter. */
export type CreateQueues = (options: QueuesOptions) => Queues;

/**
 * Creates the queues of policies. A policy always has the same queue. Longer than 50 lines because a queue is a set of
 * functions on the same keys and scripts.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a queue is a set of functions on the same keys and scripts.
export function createQueues(options: QueuesOptions): ReturnType<CreateQueues> {
  const { store, timeoutMs, clock, overrides, allKeys, countedSubjects, onDecision, runOnStore } = options;
  let nodeId: string | undefined;
  /** Returns the id of this node. Drawn at first use, because some runtimes allow nothing random while modules load. */
  const node = () => {
    nodeId ??= createRandomId();
    return nodeId;
  };
  const queues = new WeakMap<object, Queue>();
  const servers = new Set<QueueServer>();
  const clockArg = () => clock?.() ?? '';

  function createQueue(policy: ResolvedPolicy): Queue {
    const level = policy.levels.length - 1;
    const queued = policy.levels[level];
    if (!queued?.queue) throw new RangeError(`"${policy.name}" has no queue.`);
    const queueKeys = listQueueKeys(allKeys.of(policy, []), level);
    let server: QueueServer | undefined;
    let enforced: QueueNumbers = queued;

    /**
     * Returns the last enforced numbers: in another mode, the waiting tickets are served at that pace. A node that started in
     * another mode has them from its first call of queue-serve.lua.
     */
    const numbers = () => {
      const current = overrides.apply(policy).levels[level];
      const isEnforced = current?.mode === 'enforce';
      if (isEnforced) enforced = current;
      const { limit, windowMs } = enforced;
      return { limit, windowMs, isEnforced, isClosed: current?.isQueueClosed ?? false };
    };
    const execute = (script: StoreScript, keys: readonly string[], args: readonly (string | number)[]) =>
      runOnStore(queueKeys[0] ?? '', () => withinStoreTimeout(store.run(script, keys, args), timeoutMs));
    const ticketOwnerOf = (subjects: Subjects) => {
      const [first = queued] = policy.levels;
      return allKeys.of(policy, [countedSubjects.ofLevel(policy, first, subjects[first.level])]).pseudonym(0);
    };

    const { join, clearCache } = createQueueJoin({
      ...options,
      ...{ policy, node, ticketOwnerOf, numbers },
      queued: { ...queued, queue: queued.queue },
      execute: (keys, args) => execute(joinScript, [...queueKeys, ...keys], args),
      onFirst: () => server?.wake(),
    });

    async function voidTickets(kind: string, { target = '', ticketId = '', reason = '' }): Promise<number> {
      let [count, after] = [0, ''];
      do {
        const args = [clockArg(), kind, target, ticketId, toLine(reason), after];
        const { ended, continuesAfter } = decodeVoid(await execute(voidScript, queueKeys, args));
        count += ended;
        after = continuesAfter;
      } while (after !== '');
      clearCache();
      server?.wake();
      return count;
    }

    async function readTickets(owner: string, groups: readonly string[], ids: readonly string[]) {
      const { limit, windowMs } = numbers();
      const args = [clockArg(), limit, windowMs, owner, groups.length, ...groups, ...ids];
      const reader = new ListReader(await execute(mineScript, queueKeys, args));
      const state = decodeState(reader);
      const tickets = [];
      while (!reader.isAtEnd) tickets.push(decodeTicket(reader.next(), { limit, windowMs }));
      return { state, tickets };
    }

    return {
      async join(joining) {
        const startedAt = performance.now();
        const joined = await join(joining);
        if (joined.queued) return joined;
        const { decision } = joined;
        const subjects = countedSubjects.ofCall(policy, joining.subjects);
        const counted = listCountedSubjects(policy, { keys: allKeys.of(policy, subjects), subjects });
        onDecision?.({ policy: policy.name, decision, durationMs: performance.now() - startedAt, counted });
        return joined;
      },
      async mine(options) {
        rejectUnknownOptions('mine', options, { subjects: true, ticketIds: true, groups: true });
        const { subjects, ticketIds = [], groups = [] } = options;
        if (ticketIds.length > MAX_TICKET_IDS) throw new RangeError(`at most ${MAX_TICKET_IDS} ticket ids`);
        const { state, tickets } = await readTickets(ticketOwnerOf(subjects), groups, ticketIds);
        return { tickets, now: state.now };
      },
      async leave(options) {
        rejectUnknownOptions('leave', options, { subjects: true, ticketId: true });
        const { subjects, ticketId } = options;
        return (
          (await voidTickets('ticket', { target: ticketOwnerOf(subjects), ticketId, reason: 'left' })) > 0
        );
      },
      voidGroup: (group, reason) => voidTickets('group', { target: group, reason }),
      voidSubject: (pseudonym, reason) => voidTickets('owner', { target: pseudonym, reason }),
      async state() {
        const { state } = await readTickets('', [], []);
        return { ...state, isClosed: state.isClosed || numbers().isClosed };
      },
      async close() {
        await voidTickets('close', {});
      },
      async open() {
        await voidTickets('open', {});
      },
      serve(serving) {
        rejectUnknownOptions('serve', serving, SERVE_OPTIONS);
        const requestStart = allKeys
          .of(policy, [])
          .request({ id: '' })
          .replace(/#[^#]*$/, '#');
        const keys = [...queueKeys, requestStart];
        const created = createQueueServer({
          ...serving,
          async send({ finished, pausedGroups, recovers, maxServed }) {
            const { limit, windowMs, isEnforced } = numbers();
            const isBlocked = overrides.apply(policy).levels.some(({ mode }) => mode === 'block');
            const ended = finished.flatMap(({ turn: { id, sequence }, result }) =>
              'outcome' in result
                ? [id, sequence, 'served', toLine(result.outcome)]
                : [id, sequence, 'void', toLine(result.reason)],
            );
            const args = [
              ...[clockArg(), limit, windowMs, isEnforced ? 1 : 0],
              ...[node(), QUEUE_LEASE_MS, isBlocked ? 0 : maxServed, REQUEST_ID_TTL_MS, recovers ? 1 : 0],
              ...[pausedGroups.length, ...pausedGroups, ...ended],
            ];
            const reply = decodeServe(await execute(serveScript, keys, args));
            if (!isEnforced) enforced = reply.numbers;
            // Waiting tickets keep their places until the block ends.
            return isBlocked ? { ...reply, serveAt: 0 } : reply;
          },
        });
        server = created;
        servers.add(created);
        return {
          ...created,
          stop() {
            servers.delete(created);
            return created.stop();
          },
        };
      },
    };
  }

  return {
    of: (policy) => getOrCreate(queues, policy, () => createQueue(policy)),
    onWindowChange() {
      for (const server of servers) server.wake();
    },
  };
}
