import { lru } from 'tiny-lru';
import { createBatcher } from '../decide/batcher';
import type { DecideOptions } from '../decide/decide';
import { type StoreDecision, toDecision } from '../decide/decision';
import type { DenialCache } from '../decide/denial-cache';
import type { Observers } from '../decide/observers';
import { type PreparedCall, toCommand } from '../decide/prepared-call';
import { RequestIdConflictError, toRequestId } from '../decide/request-id';
import { LimiterOptionError } from '../options';
import type { CountedSubjects } from '../policy/counted-subjects';
import type { QueueOptions, ResolvedLevel, ResolvedPolicy } from '../policy/policy';
import { EXCLUDED, type Subjects } from '../policy/subject';
import type { JoinCommand, JoinReply, StoreKeys, TimedCommand } from '../stores/store';
import { StoreUnavailableError } from '../stores/store-error';
import { type Joined, type JoinOptions, TooManyTicketsError } from './queue';
import { validateJoin } from './queue-arguments';

/** A repeated join is answered from the memory of the node for this long. */
const JOIN_CACHED_MS = 5_000;
const MAX_CACHED_JOINS = 10_000;
/** A join takes as long as three decisions. */
const MAX_BATCH_SIZE = 10;
/** 66 bits of a pseudonym, so that no two shares have one count. */
const SHARE_CHARACTERS = 11;

interface CachedJoin {
  requestKey: string;
  policyVersion: number;
  joined: Joined;
  freshUntil: number;
}

/** The parts of a limiter that a queue needs to take new tickets. */
export interface QueueJoinOptions {
  policy: ResolvedPolicy;
  /** The keys of the queue. */
  queueKeys: StoreKeys;
  /** The level with the queue. */
  queued: ResolvedLevel & { queue: QueueOptions<never> };
  /** Returns the id of this node. */
  node: () => string;
  clock: (() => number) | undefined;
  countedSubjects: CountedSubjects;
  denials: DenialCache;
  observers: Observers;
  prepareCall: (policy: ResolvedPolicy, options: DecideOptions) => PreparedCall;
  pseudonymOf: (subject: string) => string;
  ticketOwnerOf: (subjects: Subjects) => string;
  numbers: () => { limit: number; windowMs: number; isClosed: boolean };
  /** Executes a batch of joins. */
  runJoins: (batch: readonly TimedCommand<JoinCommand>[]) => Promise<readonly (JoinReply | Error)[]>;
  /** Called after the first ticket has joined. */
  onFirst: () => void;
}

/** The part of a queue that takes new tickets. */
export interface QueueJoin {
  join(joining: JoinOptions): Promise<Joined>;
  /** Makes this node read every ticket from the store again. */
  clearCache(): void;
}

/** Creates the part of a queue that takes new tickets. Longer than 50 lines because its functions share the options. */
export function createQueueJoin(options: QueueJoinOptions): QueueJoin {
  const { policy, queued, node, clock, denials, observers, prepareCall, ticketOwnerOf, numbers } = options;
  const { level: queuedLevel, queue: bounds } = queued;
  /** A share is counted like the subject of a level. */
  const shareLevel: ResolvedLevel = { ...queued, level: 'queue.share', ifMissing: 'error' };
  const joins = lru<CachedJoin>(MAX_CACHED_JOINS);
  const ownLevels = policy.levels.slice(0, -1).map(({ level }) => level);
  const noOwnLevels = Object.fromEntries<Subjects[string]>(ownLevels.map((level) => [level, EXCLUDED]));
  const sendJoin = createBatcher<JoinCommand, JoinReply>({
    run: options.runJoins,
    slotOf: () => '',
    clock,
    maxBatchSize: MAX_BATCH_SIZE,
  });

  /** Returns the share of a call; '' if the queue has no shares. */
  async function shareOf(context: unknown): Promise<string> {
    if (!bounds.share) return '';
    if (context === undefined) {
      const fix = 'Pass the value that queue.share.by reads.';
      throw new LimiterOptionError('context', context, fix, 'queue.join');
    }
    const share = await bounds.share.by(context as never);
    const counted = options.countedSubjects.ofLevel(policy, shareLevel, share) ?? '';
    return options.pseudonymOf(counted).slice(0, SHARE_CHARACTERS);
  }

  function queueOf({ limit, windowMs, isClosed }: ReturnType<typeof numbers>): JoinCommand['queue'] {
    const { maxLength, maxWaitMs, maxPerSubject = 0, share } = bounds;
    return {
      keys: options.queueKeys,
      level: policy.levels.length - 1,
      limit,
      windowMs,
      node: node(),
      maxLength: isClosed ? 0 : maxLength,
      maxWaitMs,
      maxOfCaller: maxPerSubject,
      maxOfShare: share?.most ?? 0,
    };
  }

  /** Returns the decision on a call, with the wait of a queue that has no room. */
  function readDecision(
    { decision: reply, waitMs }: JoinReply & { kind: 'decided' },
    { call, sentAt }: { call: PreparedCall; sentAt: number },
  ): StoreDecision {
    const decision = toDecision(call.policy.name, call.callLevels.levels, reply);
    if (decision.allowed && decision.hasOtherInput) throw new RequestIdConflictError();
    denials.update(call, decision, sentAt);
    if (decision.allowed || waitMs === 0) return decision;
    const refusedBy = { ...decision.refusedBy, retryAfterMs: waitMs };
    const levels = decision.levels.map((state) => (state === decision.refusedBy ? refusedBy : state));
    return { ...decision, levels, refusedBy, retryAfterMs: waitMs };
  }

  async function join(joining: JoinOptions): Promise<Joined> {
    const startedAt = performance.now();
    validateJoin(joining);
    const { group, payload, requestId, hasCharged, context, ...callOptions } = joining;
    const owner = ticketOwnerOf(joining.subjects);
    const share = await shareOf(context);
    const subjects: Subjects = hasCharged ? { ...joining.subjects, ...noOwnLevels } : joining.subjects;
    const call = prepareCall(policy, { ...callOptions, subjects, requestId });
    const ownSubjects: Subjects = { ...subjects, [queuedLevel]: EXCLUDED };
    const ownCall = prepareCall(policy, { ...callOptions, subjects: ownSubjects });
    const id = toRequestId(requestId);
    const requestKey = call.keys.request(id);
    const cacheKey = JSON.stringify([owner, group]);
    const cached = joins.get(cacheKey);
    if (cached && isFresh(cached, requestKey, call)) return cached.joined;
    const certain = call.denial ?? denials.findRefusal(ownCall);
    if (certain) {
      const source = certain === call.denial ? 'local' : 'cache';
      observers.observe(call, { startedAt, decision: certain, source });
      return { queued: false, decision: certain };
    }

    const sentAt = denials.now();
    const command = {
      queue: queueOf(numbers()),
      all: toCommand(call),
      own: toCommand(ownCall),
      owner,
      group,
      share,
      payload,
      request: requestKey.slice(requestKey.lastIndexOf('#') + 1),
    };
    const reply = await sendJoin(command, (joined) => joined).catch((error: unknown) => {
      if (error instanceof StoreUnavailableError)
        observers.observe(call, { startedAt, decision: undefined, source: 'store', error });
      throw error;
    });
    if (reply.kind === 'conflict') throw toConflict(reply.reason, bounds);
    if (reply.kind === 'decided') {
      const decision = readDecision(reply, { call: reply.isOwn ? ownCall : call, sentAt });
      observers.observe(call, { startedAt, decision, source: 'store' });
      return { queued: false, decision };
    }
    const { ticket, now } = reply;
    const joined: Joined = { queued: true, ticket, now };
    if (ticket.state === 'waiting') {
      const freshMs = Math.min(JOIN_CACHED_MS, ticket.turnAt - now);
      const policyVersion = call.policy.version;
      joins.set(cacheKey, { requestKey, policyVersion, joined, freshUntil: performance.now() + freshMs });
      if (ticket.position === 1) options.onFirst();
    }
    return joined;
  }

  return { join, clearCache: () => joins.clear() };
}

/** Returns true if a cached join answers a call: a changed limit makes its turn another one. */
function isFresh(
  { requestKey, policyVersion, freshUntil }: CachedJoin,
  calledKey: string,
  { policy }: PreparedCall,
): boolean {
  return requestKey === calledKey && policyVersion === policy.version && performance.now() < freshUntil;
}

function toConflict(reason: 'request' | 'tickets', { maxPerSubject = 0 }: QueueOptions<never>): Error {
  return reason === 'request' ? new RequestIdConflictError() : new TooManyTicketsError(maxPerSubject);
}
