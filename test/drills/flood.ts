import { Agent, request } from 'node:http';

/** Sends one GET at a fixed rate, whether or not earlier ones were answered. */
export interface Flood {
  /** Answers by status; `unanswered` where the connection broke. */
  answers: Map<string, number>;
  /** GETs that were not sent, because `MAX_IN_FLIGHT` others had no answer yet. */
  unsent(): number;
  /** Ends the flood and cuts the GETs that are not answered. */
  stop(): void;
}

/** Bounds the sockets of the drill itself. A node that leaves this many GETs unanswered is not serving them. */
const MAX_IN_FLIGHT = 1_000;
const TICK_MS = 10;

/** Begins at once, from one address: a node that trusts this machine as a proxy counts `address`. */
export function startFlood(
  url: string,
  { perSecond, address }: { perSecond: number; address: string },
): Flood {
  const headers = { 'x-forwarded-for': address };
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_IN_FLIGHT });
  const answers = new Map<string, number>();
  const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);
  const startedAt = performance.now();
  let due = 0;
  let inFlight = 0;
  let unsent = 0;

  function send(): void {
    inFlight += 1;
    const call = request(url, { agent, headers }, (answer) => {
      count(String(answer.statusCode));
      answer.resume();
    });
    call.on('error', () => count('unanswered'));
    call.once('close', () => {
      inFlight -= 1;
    });
    call.end();
  }

  const timer = setInterval(() => {
    const dueNow = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
    for (; due < dueNow; due += 1) {
      if (inFlight < MAX_IN_FLIGHT) send();
      else unsent += 1;
    }
  }, TICK_MS);

  return {
    answers,
    unsent: () => unsent,
    stop() {
      clearInterval(timer);
      agent.destroy();
    },
  };
}
