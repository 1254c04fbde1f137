import { randomBytes } from 'node:crypto';
import { createBatcher } from './batcher';
import { decodeDecision, REQUEST_ID_TTL_MS } from './codec';
import { validateSize } from './command-size';
import type { CountedSubjects } from './counted-subjects';
import { createLruCache } from './create-lru-cache';
import { type Decision, type DecisionOutcome, listCountedSubjects } from './decision';
import type { DenialCache } from './denial-cache';
import { getOrCreate } from './get-or-create';
import type { Keys } from './key';
import type { DecideOptions } from './limiter';
import { rejectUnknownOptions } from './limiter-options';
import type { Overrides } from './overrides';
import type { ResolvedPolicy } from './policy';
import { encodeCall, type PreparedCall } from './prepared-call';
import type { Joined, JoinOptions, Queue, QueueServer } from './queue';
import { listQueueKeys, SERVE_OPTIONS, toLine, validateJoin } from './queue-arguments';
import {
  decodeServe,
  decodeServed,
  decodeState,
  decodeTicket,
  decodeVoid,
  decodeWaiting,
  ListReader,
  type QueueNumbers,
  splitJoins,
} from './queue-codec';
import { createQueueServer, QUEUE_LEASE_MS } from './queue-server';
import { RequestIdConflictError, toRequestId } from './request-id';
import type { Store, StoreScript } from './store';
import { StoreReplyError, StoreUnavailableError, withinStoreTimeout } from './store-error';
import { EXCLUDED, type Subjects } from './subject';

/** The script that decides calls that may wait. */
export const joinScript = {
  command: 'floodgateQueueJoin',
  file: 'limiter/queue-join.lua',
  numberOfKeys: 'variable',
  isFunction: true,
} as const;

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

/** A repeated join is answered from the memory of the node for this long. */
const JOIN_CACHED_MS = 5_000;
const MAX_CACHED_JOINS = 10_000;
/** A join takes as long as three decisions. */
const MAX_JOINS_PER_SCRIPT = 10;
const MAX_TICKET_IDS = 20;

interface QueuesOptions {
  store: Store;
  timeoutMs: number;
  clock: (() => number) | undefined;
  overrides: Overrides;
  allKeys: Keys;
  countedSubjects: CountedSubjects;
  denials: DenialCache;
  prepareCall: (policy: ResolvedPolicy, options: DecideOptions) => PreparedCall;
  onDecision: ((outcome: DecisionOutcome) => void) | undefined;
  /** Sends a script call on a key through the circuit breaker. */
  runOnStore: (key: string, send: () => Promise<unknown>) => Promise<unknown>;
}

/** Creates the function that returns the queue of a policy. */
export type CreateQueues = (options: QueuesOptions) => (policy: ResolvedPolicy) => Queue;

interface CachedJoin {
  requestKey: string;
  joined: Joined;
  freshUntil: number;
}

/**
 * Creates the queues of policies. A policy always has the same queue. Longer than 50 lines because a queue is a set of
 * functions on the same keys and scripts.
 */
export function createQueues(options: QueuesOptions): ReturnType<CreateQueues> {
  const { store, timeoutMs, clock, overrides, allKeys, countedSubjects, denials } = options;
  const { prepareCall, onDecision, runOnStore } = options;
  const node = randomBytes(6).toString('base64url');
  const queues = new WeakMap<object, Queue>();
  const clockArg = () => clock?.() ?? '';

  function createQueue(policy: ResolvedPolicy): Queue {
    const level = policy.levels.length - 1;
    const queued = policy.levels[level];
    if (!queued?.queue) throw new RangeError(`"${policy.name}" has no queue.`);
    const { level: queuedLevel, queue: bounds } = queued;
    const joins = createLruCache<CachedJoin>(MAX_CACHED_JOINS);
    const queueKeys = listQueueKeys(allKeys.of(policy, []), level);
    const noOwnLevels = Object.fromEntries<Subjects[string]>(
      policy.levels.slice(0, level).map((own) => [own.level, EXCLUDED]),
    );
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
    const sendJoin = createBatcher<unknown>({
      run: (keys, args) => execute(joinScript, [...queueKeys, ...keys], args),
      splitReply: splitJoins,
      hashTagOf: () => '',
      clock,
      maxBatchSize: MAX_JOINS_PER_SCRIPT,
    });
    const ticketOwnerOf = (subjects: Subjects) => {
      const [first = queued] = policy.levels;
      return allKeys.of(policy, [countedSubjects.ofLevel(policy, first, subjects[first.level])]).pseudonym(0);
    };

    async function voidTickets(kind: string, { target = '', ticketId = '', reason = '' }): Promise<number> {
      let [count, after] = [0, ''];
      do {
        const args = [clockArg(), kind, target, ticketId, toLine(reason), after];
        const { ended, continuesAfter } = decodeVoid(await execute(voidScript, queueKeys, args));
        count += ended;
        after = continuesAfter;
      } while (after !== '');
      joins.clear();
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

    async function join(joining: JoinOptions): Promise<Joined> {
      validateJoin(joining);
      const { group, payload, requestId, hasCharged, ...callOptions } = joining;
      const owner = ticketOwnerOf(joining.subjects);
      const subjects: Subjects = hasCharged ? { ...joining.subjects, ...noOwnLevels } : joining.subjects;
      const call = prepareCall(policy, { ...callOptions, subjects, requestId });
      const ownSubjects: Subjects = { ...subjects, [queuedLevel]: EXCLUDED };
      const ownCall = prepareCall(policy, { ...callOptions, subjects: ownSubjects });
      const id = toRequestId(requestId);
      const requestKey = call.keys.request(id);
      const cacheKey = JSON.stringify([owner, group]);
      const cached = joins.get(cacheKey);
      if (cached?.requestKey === requestKey && performance.now() < cached.freshUntil) return cached.joined;
      const certain = call.denial ?? denials.findRefusal(ownCall);
      if (certain) return { queued: false, decision: certain };

      const [full, own] = [encodeCall(call), encodeCall(ownCall)];
      for (const command of [full, own]) validateSize(command);
      const { limit, windowMs, isClosed } = numbers();
      const request = requestKey.slice(requestKey.lastIndexOf('#') + 1);
      const sentAt = denials.now();
      const reader = await sendJoin({
        policyArgs: [limit, windowMs, isClosed ? 0 : bounds.maxLength, bounds.maxWaitMs, node].join(' '),
        keys: [...full.keys, ...own.keys],
        args: [
          ...[owner, group, request, call.keys.requestInput(id), payload],
          // The script sets the empty number of calls and clock.
          ...[full.policyArgs, '', ...full.args, own.policyArgs, '', ...own.args],
        ],
        decode: (reply) => new ListReader(reply),
      });
      const kind = reader.text();
      const now = reader.number();
      if (kind === 'decided')
        return { queued: false, decision: readDecision(reader, { call, ownCall, sentAt }) };
      const ticket = kind === 'served' ? decodeServed(reader) : decodeWaiting(reader, { limit, windowMs });
      const joined: Joined = { queued: true, ticket, now };
      if (ticket.state === 'waiting') {
        const freshMs = Math.min(JOIN_CACHED_MS, ticket.turnAt - now);
        joins.set(cacheKey, { requestKey, joined, freshUntil: performance.now() + freshMs });
        if (ticket.position === 1) server?.wake();
      }
      return joined;
    }

    /** Decodes a decision of queue-join.lua, and adds the wait of a queue that has no room. */
    function readDecision(
      reader: ListReader,
      { call, ownCall, sentAt }: { call: PreparedCall; ownCall: PreparedCall; sentAt: number },
    ): Decision {
      const text = reader.text();
      const decided = reader.number() === 1 ? ownCall : call;
      const waitMs = reader.number();
      if (text.startsWith('-')) {
        throw new StoreUnavailableError('the store failed', { cause: new StoreReplyError(text.slice(1)) });
      }
      const decision = decodeDecision(decided.policy, decided.callLevels.levels, text);
      if (decision.allowed && decision.hasOtherInput) throw new RequestIdConflictError();
      denials.update(decided, decision, sentAt);
      if (decision.allowed || waitMs === 0) return decision;
      const refusedBy = { ...decision.refusedBy, retryAfterMs: waitMs };
      const levels = decision.levels.map((state) => (state === decision.refusedBy ? refusedBy : state));
      return { ...decision, levels, refusedBy };
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
            const ended = finished.flatMap(({ turn: { id, sequence }, result }) =>
              'outcome' in result
                ? [id, sequence, 'served', toLine(result.outcome)]
                : [id, sequence, 'void', toLine(result.reason)],
            );
            const args = [
              ...[clockArg(), limit, windowMs, isEnforced ? 1 : 0],
              ...[node, QUEUE_LEASE_MS, maxServed, REQUEST_ID_TTL_MS, recovers ? 1 : 0],
              ...[pausedGroups.length, ...pausedGroups, ...ended],
            ];
            const reply = decodeServe(await execute(serveScript, keys, args));
            if (!isEnforced) enforced = reply.numbers;
            return reply;
          },
        });
        server = created;
        return created;
      },
    };
  }

  return function queue(policy) {
    return getOrCreate(queues, policy, () => createQueue(policy));
  };
}
