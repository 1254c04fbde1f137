import type { ServeReply } from '../stores/store';
import type { ServedTurn, TurnResult } from '../stores/ticket';
import type { QueueServer, QueueTimers, ServeOptions } from './queue';

/** A turn that has ended. */
export interface FinishedTurn {
  turn: ServedTurn;
  result: TurnResult;
}

export interface QueueServerOptions extends ServeOptions {
  /** Serves tickets. `recovers` also returns the turns of dead nodes. */
  send: (call: {
    finished: readonly FinishedTurn[];
    pausedGroups: readonly string[];
    recovers: boolean;
    /** The maximum number of tickets to serve. */
    maxServed: number;
  }) => Promise<ServeReply>;
}

/** The lease of a serving node. Another node takes over this long after its last call. */
export const QUEUE_LEASE_MS = 500;
/** Time from a call to one that `wake` requests, at least. Shorter than the time to serve a free place. */
const WAKE_INTERVAL_MS = 20;
/** Time from a call to the next one, at least. A call that is early by the store's clock is repeated. */
const MIN_INTERVAL_MS = 2;
/** A turn that has ended waits this long for a call that serves others. */
const FINISH_MS = 100;
const RENEW_MS = 200;
/** Time between two searches for turns of dead nodes. */
const RECOVER_MS = 250;
/** Time between two calls of a node without waiting tickets. The node of a first ticket calls at once. */
const IDLE_MS = 500;
const RETRY_MS = 1_000;
/** Keeps Redis busy for at most a few milliseconds. */
const MAX_SERVED = 100;
const MAX_FINISHED = 500;
/** Time until the next call after an error of the store. */
const STORE_RETRY_MS = 250;

const processTimers: QueueTimers = {
  now: () => performance.now(),
  start(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Serves a queue until it is stopped. It calls the store at the next turn, and to end turns. */
export function createQueueServer(options: QueueServerOptions): QueueServer {
  const { send, onTurn, onServed, timers = processTimers } = options;
  const { pausedGroups = () => [], onError = () => undefined } = options;
  /** The tickets of this node whose end the store has not confirmed. */
  const open = new Set<string>();
  const running = new Set<Promise<void>>();
  /** The functions that end the waits of turns. */
  const endWaits = new Set<() => void>();
  let isStopped = false;
  const finished: FinishedTurn[] = [];
  let cancelTimer: () => void = () => undefined;
  let wakeAt = Number.POSITIVE_INFINITY;
  let calledAt = Number.NEGATIVE_INFINITY;
  let recoveredAt = Number.NEGATIVE_INFINITY;
  let calling: Promise<void> | undefined;
  let isWoken = false;
  let waiting = 0;

  /** Calls the store after `delayMs` and the interval, unless a call is due earlier. */
  function schedule(delayMs: number, intervalMs: number): void {
    if (isStopped || calling) return;
    const at = Math.max(timers.now() + delayMs, calledAt + intervalMs);
    if (at >= wakeAt) return;
    cancelTimer();
    wakeAt = at;
    cancelTimer = timers.start(Math.max(0, at - timers.now()), call);
  }

  function wake(): void {
    isWoken = true;
    schedule(0, WAKE_INTERVAL_MS);
  }

  /** Waits before a turn runs again, or until the server is stopped. */
  function waitToRetry(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, RETRY_MS);
      function end() {
        clearTimeout(timer);
        endWaits.delete(end);
        resolve();
      }
      endWaits.add(end);
      if (isStopped) end();
    });
  }

  /** Runs a turn until it has a result. */
  async function runTurn(turn: ServedTurn): Promise<void> {
    for (;;) {
      try {
        const result = await onTurn(turn);
        finished.push({ turn, result });
        schedule(FINISH_MS, MIN_INTERVAL_MS);
        return;
      } catch (error) {
        onError(error);
        await waitToRetry();
        if (isStopped) return;
      }
    }
  }

  function startTurns(turns: readonly ServedTurn[]): void {
    const started = turns.filter(({ ticketId }) => !open.has(ticketId));
    if (started.length === 0) return;
    onServed?.(started);
    for (const turn of started) {
      open.add(turn.ticketId);
      const run: Promise<void> = runTurn(turn).finally(() => running.delete(run));
      running.add(run);
    }
  }

  /** Sends the finished turns and starts the served ones. Returns the time until the next call. */
  async function serveOnce(): Promise<number> {
    const ended = finished.splice(0, MAX_FINISHED);
    const recovers = calledAt - recoveredAt >= RECOVER_MS;
    try {
      const reply = await send({
        finished: ended,
        pausedGroups: pausedGroups(),
        recovers,
        maxServed: MAX_SERVED,
      });
      if (recovers) recoveredAt = calledAt;
      waiting = reply.waiting;
      for (const { turn } of ended) open.delete(turn.ticketId);
      startTurns(reply.turns);
      const elapsedMs = (timers.now() - calledAt) / 2;
      return Math.min(delayAfter(reply) - elapsedMs, open.size > 0 ? RENEW_MS : IDLE_MS);
    } catch (error) {
      finished.unshift(...ended);
      recoveredAt = Number.NEGATIVE_INFINITY;
      onError(error);
      return STORE_RETRY_MS;
    }
  }

  function call(): Promise<void> {
    wakeAt = Number.POSITIVE_INFINITY;
    calledAt = timers.now();
    isWoken = false;
    calling = serveOnce().then((delayMs) => {
      calling = undefined;
      schedule(finished.length > 0 ? Math.min(FINISH_MS, delayMs) : delayMs, MIN_INTERVAL_MS);
      if (isWoken) schedule(0, WAKE_INTERVAL_MS);
    });
    return calling;
  }

  schedule(0, 0);
  return {
    wake,
    waiting: () => waiting,
    async stop() {
      isStopped = true;
      for (const end of endWaits) end();
      cancelTimer();
      await calling;
      await Promise.all(running);
      // Another node runs these turns again if the call fails.
      if (finished.length > 0)
        await send({ finished, pausedGroups: [], recovers: false, maxServed: 0 }).catch(onError);
    },
  };
}

/** Returns the time from a reply until tickets can be served, the lease is due, or another node's lease ends. */
function delayAfter({ now, heldUntil, serveAt, waiting }: ServeReply): number {
  if (heldUntil > 0) return heldUntil - now + Math.random() * 50;
  if (waiting === 0) return IDLE_MS;
  return serveAt > 0 ? Math.min(serveAt - now, RENEW_MS) : RENEW_MS;
}
