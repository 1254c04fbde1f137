import { createBatcher } from '../decide/batcher';
import { decodeDecision } from '../decide/codec';
import { validateSize } from '../decide/command-size';
import { createLruCache } from '../decide/create-lru-cache';
import type { DecideOptions } from '../decide/decide';
import type { StoreDecision } from '../decide/decision';
import type { DenialCache } from '../decide/denial-cache';
import { LimiterOptionError } from '../decide/limiter-options';
import { encodeCall, type PreparedCall } from '../decide/prepared-call';
import { RequestIdConflictError, toRequestId } from '../decide/request-id';
import type { CountedSubjects } from '../policy/counted-subjects';
import type { QueueOptions, ResolvedLevel, ResolvedPolicy } from '../policy/policy';
import { EXCLUDED, type Subjects } from '../policy/subject';
import { StoreReplyError, StoreUnavailableError } from '../stores/store-error';
import { type Joined, type JoinOptions, TooManyTicketsError } from './queue';
import { validateJoin } from './queue-arguments';
import { decodeServed, decodeWaiting, ListReader, type QueueNumbers, splitJoins } from './queue-codec';

/** The script that decides calls that may wait. */
export const joinScript = {
  command: 'floodgateQueueJoin',
  file: 'limiter/queue-join.lua',
  numberOfKeys: 'variable',
  isFunction: true,
} as const;

/** A repeated join is answered from the memory of the node for this long. */
const JOIN_CACHED_MS = 5_000;
const MAX_CACHED_JOINS = 10_000;
/** A join takes as long as three decisions. */
const MAX_JOINS_PER_SCRIPT = 10;
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
  /** The level with the queue. */
  queued: ResolvedLevel & { queue: QueueOptions<never> };
  /** Returns the id of this node. */
  node: () => string;
  clock: (() => number) | undefined;
  countedSubjects: CountedSubjects;
  denials: DenialCache;
  prepareCall: (policy: ResolvedPolicy, options: DecideOptions) => PreparedCall;
  pseudonymOf: (subject: string) => string;
  ticketOwnerOf: (subjects: Subjects) => string;
  numbers: () => QueueNumbers & { isClosed: boolean };
  /** Executes queue-join.lua with these keys after those of the queue. */
  execute: (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;
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
  const { policy, queued, node, clock, denials, prepareCall, ticketOwnerOf, numbers, execute } = options;
  const { level: queuedLevel, queue: bounds } = queued;
  /** A share is counted like the subject of a level. */
  const shareLevel: ResolvedLevel = { ...queued, level: 'queue.share', ifMissing: 'error' };
  const joins = createLruCache<CachedJoin>(MAX_CACHED_JOINS);
  const ownLevels = policy.levels.slice(0, -1).map(({ level }) => level);
  const noOwnLevels = Object.fromEntries<Subjects[string]>(ownLevels.map((level) => [level, EXCLUDED]));
  const sendJoin = createBatcher<unknown>({
    run: execute,
    splitReply: splitJoins,
    hashTagOf: () => '',
    clock,
    maxBatchSize: MAX_JOINS_PER_SCRIPT,
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

  function toHead({ limit, windowMs, isClosed }: ReturnType<typeof numbers>): string {
    const { maxLength, maxWaitMs, maxPerSubject = 0, share } = bounds;
    const maxima = [isClosed ? 0 : maxLength, maxWaitMs, maxPerSubject, share?.most ?? 0];
    return [limit, windowMs, ...maxima, node()].join(' ');
  }

  /** Decodes a decision of queue-join.lua, and adds the wait of a queue that has no room. */
  function readDecision(
    reader: ListReader,
    { call, ownCall, sentAt }: { call: PreparedCall; ownCall: PreparedCall; sentAt: number },
  ): StoreDecision {
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

  async function join(joining: JoinOptions): Promise<Joined> {
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
    if (certain) return { queued: false, decision: certain };

    const [full, own] = [encodeCall(call), encodeCall(ownCall)];
    for (const command of [full, own]) validateSize(command);
    const present = numbers();
    const request = requestKey.slice(requestKey.lastIndexOf('#') + 1);
    const sentAt = denials.now();
    const reader = await sendJoin({
      policyArgs: toHead(present),
      keys: [...full.keys, ...own.keys],
      args: [
        ...[owner, group, share, request, call.keys.requestInput(id), payload],
        // The script sets the empty number of calls and clock.
        ...[full.policyArgs, '', ...full.args, own.policyArgs, '', ...own.args],
      ],
      decode: (reply) => new ListReader(reply),
    });
    const kind = reader.text();
    const now = reader.number();
    if (kind === 'conflict') throw toConflict(reader.text(), bounds);
    if (kind === 'decided')
      return { queued: false, decision: readDecision(reader, { call, ownCall, sentAt }) };
    const ticket = kind === 'served' ? decodeServed(reader) : decodeWaiting(reader, present);
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

function toConflict(reason: string, { maxPerSubject = 0 }: QueueOptions<never>): Error {
  return reason === 'request' ? new RequestIdConflictError() : new TooManyTicketsError(maxPerSubject);
}
