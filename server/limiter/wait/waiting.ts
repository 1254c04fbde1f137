import { createRandomId } from '../crypto';
import type { SendCommand } from '../decide/batcher';
import type { DecideOptions, Decisions } from '../decide/decide';
import type { Admitted, Decision } from '../decide/decision';
import { type LeaseCommands, RENEWALS_PER_LEASE } from '../decide/lease';
import type { PreparedCall } from '../decide/prepared-call';
import { createProcessClock } from '../decide/process-clock';
import type { Settle } from '../decide/settle';
import type { ResolvedPolicy } from '../policy/policy';
import { areRequestsIsolated } from '../stores/event-loop';
import type { StoreKeys } from '../stores/store';
import { ignoreOutage, StoreUnavailableError } from '../stores/store-error';
import { createAbortListeners } from './abort-listeners';
import { endWait, rejectLate, rejectLongLine, rejectOverdue, startInTime } from './deadlines';
import { addWaiter, createLine, endWaiter, type Line, nextWaiters, pauseLine, type Waiter } from './line';
import { FIRST_STEP } from './pace';
import { validateWaiting, type WaitOptions, WaitTooLongError } from './wait-options';

/** The calls of this process that wait. */
export interface Waiting extends LeaseCommands {
  /** Resolves with the admitted decision when the call may start. `Limiter.wait` has the errors. */
  wait(policy: ResolvedPolicy, call: DecideOptions, options: WaitOptions): Promise<Admitted>;
  /** Makes every line check again, after a change of limits or windows. */
  checkAgain(): void;
  /** Settles a call. Like `release`, it makes a line check again that found one of the levels full. */
  settle: Settle;
  /** Rejects every waiting call with a `StoreUnavailableError` of the kind `closed`. */
  end(): void;
}

/** The parts of a limiter on which waiting depends. */
export interface WaitingParts extends LeaseCommands {
  prepareCall: (policy: ResolvedPolicy, call: DecideOptions) => PreparedCall;
  decide: Decisions['decide'];
  sendCommand: SendCommand;
  settle: Settle;
}

/** Creates the lines of a limiter. Longer than 50 lines because its functions share the lines. */
export function createWaiting(parts: WaitingParts): Waiting {
  const { prepareCall, decide, sendCommand } = parts;
  const clock = createProcessClock();
  const lines = new Map<string, Line>();
  /** The lines that check at intervals, because a call that ends may make room. */
  const polling = new Set<Line>();
  const addAbortListener = createAbortListeners();

  /** Makes a round of calls of the store, and sets the next step of the line. */
  async function checkRound(line: Line, checking: readonly Waiter[]): Promise<void> {
    const { policy } = line;
    const replies = await Promise.allSettled(checking.map(({ call }) => decide(policy, call)));
    let count = 0;
    let last: Decision | undefined;
    for (const [index, waiter] of checking.entries()) {
      const reply = replies[index];
      if (reply?.status === 'fulfilled' && (reply.value.allowed || reply.value.reason === 'limited')) {
        if (last?.allowed !== false) last = reply.value;
        if (!reply.value.allowed) continue;
        count += 1;
        admit(line, waiter, { decision: reply.value, commands: parts });
      } else if (reply) endWaiter(line, waiter, ({ reject }) => reject(errorOf(reply)));
    }
    const cost = checking[0]?.cost ?? 0;
    line.step = last ? line.nextStep({ policy, cost, count, decision: last }) : FIRST_STEP;
    if (!last) rejectOverdue(line, clock());
    else if (line.step.pauseMs > 0) rejectLate(line, last.levels, clock());
  }

  /** Makes rounds until a line has no waiters and no later starts. The first is at the time of its first call. */
  async function serve(line: Line, joinedAt: number): Promise<void> {
    const prepare = ({ call }: Waiter) => prepareCall(line.policy, call);
    for (let now = joinedAt; line.waiters.size > 0 || line.delayed.length > 0; now = clock()) {
      const checking = nextWaiters(line, now);
      if (checking.length === 0) {
        rejectOverdue(line, now);
        line.isIdle = true;
        await pauseLine(line, Number.POSITIVE_INFINITY);
        line.isIdle = false;
        continue;
      }
      const inTime = await startInTime(line, checking, { prepare, sendCommand, now });
      if (inTime.length === 0) continue;
      await checkRound(line, inTime);
      const { pauseMs, isPolling } = line.step;
      if (pauseMs === 0 || line.waiters.size === 0) continue;
      if (isPolling && !areRequestsIsolated) polling.add(line);
      await pauseLine(line, pauseMs);
      polling.delete(line);
    }
    lines.delete(line.id);
  }

  function join(line: Line, waiter: Waiter): void {
    addWaiter(line, waiter);
    if (lines.has(line.id)) {
      if (line.isIdle) line.wake();
      return;
    }
    // A request of a worker may not wake another one.
    if (!areRequestsIsolated) lines.set(line.id, line);
    void serve(line, waiter.joinedAt);
  }

  /** Wakes the first line that found one of these levels full. If it finds no room, it pauses behind the others. */
  function onRoom(keys: StoreKeys, levelIndexes: readonly number[]): void {
    const freed = levelIndexes.map((index) => keys.level(index));
    [...polling].find((line) => line.keys.some((key) => freed.includes(key)))?.wake();
  }

  return {
    async wait(policy, call, { maxWaitMs = Number.POSITIVE_INFINITY, signal }) {
      signal?.throwIfAborted();
      validateWaiting(policy);
      const prepared = prepareCall(policy, call);
      const keys = prepared.callLevels.allIndexes.map((index) => prepared.keys.level(index));
      const id = areRequestsIsolated ? createRandomId() : JSON.stringify([policy.name, ...keys]);
      const line = lines.get(id) ?? createLine({ id, policy, keys }, clock);
      const now = clock();
      rejectLongLine(line, prepared, { maxWaitMs, now });
      return new Promise((resolve, reject) => {
        const { cost } = prepared;
        // A call with a request id takes its own admission only.
        const kind = call.requestId === undefined ? cost : Symbol(id);
        const waiter: Waiter = {
          ...{ call, cost, kind, joinedAt: now, maxWaitMs, deadline: now + maxWaitMs },
          resolve: (decision) => resolve(end(decision)),
          reject: (reason) => reject(end(reason)),
        };
        const onAbort = () => endWaiter(line, waiter, () => waiter.reject(signal?.reason));
        const removeListener = signal && addAbortListener(signal, onAbort);
        const onTimeout = () => endWait(line, waiter, clock());
        const timer = Number.isFinite(maxWaitMs) ? setTimeout(onTimeout, maxWaitMs) : undefined;
        function end<Outcome>(outcome: Outcome): Outcome {
          clearTimeout(timer);
          removeListener?.();
          return outcome;
        }
        join(line, waiter);
      });
    },
    checkAgain() {
      for (const line of lines.values()) line.wake();
    },
    renew: parts.renew,
    async release(lease) {
      const isReleased = await parts.release(lease);
      onRoom(lease.keys, lease.held.levelIndexes);
      return isReleased;
    },
    async settle(reservation, outcome) {
      const isChanged = await parts.settle(reservation, outcome);
      onRoom(reservation.call.keys, reservation.call.callLevels.levelIndexes);
      return isChanged;
    },
    end() {
      const reason = new StoreUnavailableError('The limiter is closed.', { kind: 'closed' });
      for (const line of lines.values())
        for (const waiter of line.waiters) endWaiter(line, waiter, ({ reject }) => reject(reason));
    },
  };
}

/** Returns the error of a call that failed, or that no time admits. */
function errorOf(reply: PromiseSettledResult<Decision>): unknown {
  if (reply.status === 'rejected') return reply.reason;
  if (reply.value.allowed) return undefined;
  const { policy, reason, refusedBy } = reply.value;
  const because = reason === 'banned' ? 'its subject is banned' : `level "${refusedBy.level}" is blocked`;
  return new WaitTooLongError(policy, refusedBy.retryAfterMs, because);
}

interface Admission {
  decision: Admitted;
  commands: LeaseCommands & { settle: Settle };
}

/** Starts a call after its delay. It holds its lease until then. */
function admit(line: Line, { kind }: Waiter, admission: Admission): void {
  const { decision, commands } = admission;
  const { delayMs, lease } = decision;
  if (delayMs === 0) {
    startFirst(line, kind, admission);
    return;
  }
  line.delayed.push(kind);
  const renewLease = () => lease && void ignoreOutage(commands.renew(lease), false);
  const renewing = lease && setInterval(renewLease, lease.leaseMs / RENEWALS_PER_LEASE);
  setTimeout(() => {
    clearInterval(renewing);
    line.delayed.splice(line.delayed.indexOf(kind), 1);
    startFirst(line, kind, admission);
    if (line.isIdle) line.wake();
  }, delayMs);
}

/** Gives an admission to the first waiter of its kind. Without one, its lease ends, and its units return if they settle. */
function startFirst(line: Line, kind: unknown, { decision, commands }: Admission): void {
  for (const waiter of line.waiters) {
    if (waiter.kind !== kind) continue;
    endWaiter(line, waiter, ({ resolve }) => resolve(decision));
    return;
  }
  const { lease, reservation } = decision;
  if (lease) void ignoreOutage(commands.release(lease), false);
  if (reservation) void ignoreOutage(commands.settle(reservation, 0), false);
}
