import { createRandomId } from '../crypto';
import type { Keys } from '../decide/key';
import { REQUEST_ID_TTL_MS } from '../decide/request-id';
import { getOrCreate } from '../get-or-create';
import { LimiterOptionError, rejectUnknownOptions } from '../options';
import type { Overrides } from '../policy/overrides';
import type { ResolvedPolicy } from '../policy/policy';
import type { Subjects } from '../policy/subject';
import type { Store, TicketGroups, VoidCommand } from '../stores/store';
import type { Queue, QueueServer } from './queue';
import { SERVE_OPTIONS, toLine } from './queue-arguments';
import { createQueueJoin, type QueueJoinOptions } from './queue-join';
import { createQueueServer, QUEUE_LEASE_MS } from './queue-server';

const MAX_TICKET_IDS = 20;

interface QueuesOptions
  extends Pick<
    QueueJoinOptions,
    'clock' | 'countedSubjects' | 'denials' | 'observers' | 'prepareCall' | 'pseudonymOf'
  > {
  store: Store;
  overrides: Overrides;
  allKeys: Keys;
  /** Sends a call of the store on a key through the circuit breaker. */
  runOnStore: <Reply>(key: string, send: () => Promise<Reply>) => Promise<Reply>;
}

/** The queues of a limiter. */
export interface Queues {
  /** Returns the queue of a policy. Throws a `LimiterOptionError` if no level of it has one. */
  of(policy: ResolvedPolicy): Queue;
  /** Makes the serving nodes of this process call the store: a raised limit makes turns earlier. */
  onWindowChange(): void;
  /** Stops all serving nodes of this process, and resolves when no turn runs. */
  stop(): Promise<void>;
}

/** Creates the queues of a limiter. */
export type CreateQueues = (options: QueuesOptions) => Queues;

/**
 * Creates the queues of policies. A policy always has the same queue. Longer than 50 lines because a queue is a set of
 * functions on the same keys.
 */
export function createQueues(options: QueuesOptions): ReturnType<CreateQueues> {
  const { store, clock, overrides, allKeys, countedSubjects, runOnStore } = options;
  let nodeId: string | undefined;
  /** Returns the id of this node. Drawn at first use, because some runtimes allow nothing random while modules load. */
  const node = () => {
    nodeId ??= createRandomId();
    return nodeId;
  };
  const queues = new WeakMap<object, Queue>();
  const servers = new Set<QueueServer>();

  function createQueue(policy: ResolvedPolicy): Queue {
    const level = policy.levels.length - 1;
    const queued = policy.levels[level];
    if (!queued?.queue) {
      const fix = `Give the last level of policy "${policy.name}" a queue.`;
      throw new LimiterOptionError('queue', undefined, fix, 'queue');
    }
    const queueKeys = allKeys.of(policy, []);
    let server: QueueServer | undefined;
    let enforced: { limit: number; windowMs: number } = queued;

    /**
     * Returns the last enforced numbers: in another mode, the waiting tickets are served at that pace. A node that started in
     * another mode has them from its first call that serves.
     */
    const numbers = () => {
      const current = overrides.apply(policy).levels[level];
      const isEnforced = current?.mode === 'enforce';
      if (isEnforced) enforced = current;
      const { limit, windowMs } = enforced;
      return { limit, windowMs, isEnforced, isClosed: current?.isQueueClosed ?? false };
    };
    const execute = <Reply>(send: () => Promise<Reply>) => runOnStore(queueKeys.level(level), send);
    const ticketOwnerOf = (subjects: Subjects) => {
      const [first = queued] = policy.levels;
      return allKeys.of(policy, [countedSubjects.ofLevel(policy, first, subjects[first.level])]).pseudonym(0);
    };

    const { join, clearCache } = createQueueJoin({
      ...options,
      ...{ policy, queueKeys, node, ticketOwnerOf, numbers },
      queued: { ...queued, queue: queued.queue },
      runJoins: (batch) => execute(() => store.queue.join(batch)),
      onFirst: () => server?.wake(),
    });

    async function voidTickets(
      kind: VoidCommand['kind'],
      { target = '', ticketId = '', reason = '' }: Partial<VoidCommand>,
    ): Promise<number> {
      let [count, after] = [0, ''];
      do {
        const command = { keys: queueKeys, level, kind, target, ticketId, reason: toLine(reason), after };
        const { ended, continuesAfter } = await execute(() => store.queue.void(command, clock?.()));
        count += ended;
        after = continuesAfter;
      } while (after !== '');
      clearCache();
      server?.wake();
      return count;
    }

    function readTickets(owner: string, groups: TicketGroups, ticketIds: readonly string[]) {
      const { limit, windowMs } = numbers();
      const command = { keys: queueKeys, level, limit, windowMs, owner, groups, ticketIds };
      return execute(() => store.queue.mine(command, clock?.()));
    }

    return {
      join,
      async mine(options) {
        rejectUnknownOptions('mine', options, { subjects: true, ticketIds: true, groups: true });
        const { subjects, ticketIds = [], groups = [] } = options;
        if (ticketIds.length > MAX_TICKET_IDS) {
          const fix = `Give at most ${MAX_TICKET_IDS}.`;
          throw new LimiterOptionError('the number of ticketIds', ticketIds.length, fix, 'mine');
        }
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
        const created = createQueueServer({
          ...serving,
          async send({ finished, pausedGroups, recovers, maxServed }) {
            const { limit, windowMs, isEnforced } = numbers();
            const isBlocked = overrides.apply(policy).levels.some(({ mode }) => mode === 'block');
            const ended = finished.map(({ turn: { id, sequence }, result }) =>
              'outcome' in result
                ? { id, sequence, state: 'served' as const, detail: toLine(result.outcome) }
                : { id, sequence, state: 'void' as const, detail: toLine(result.reason) },
            );
            const command = {
              ...{ keys: queueKeys, level, limit, windowMs, isEnforced, requestStart, ended },
              ...{ node: node(), leaseMs: QUEUE_LEASE_MS, requestTtlMs: REQUEST_ID_TTL_MS },
              ...{ maxServed: isBlocked ? 0 : maxServed, recovers, pausedGroups },
            };
            const reply = await execute(() => store.queue.serve(command, clock?.()));
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
    async stop() {
      await Promise.all(Array.from(servers, (server) => server.stop()));
    },
  };
}
