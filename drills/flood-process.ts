import { Agent, request } from 'node:http';
import type { FloodPlan, FloodReport } from './flood';

/** Bounds the open sockets of the flood. A node with this many unanswered GETs does not serve them. */
const MAX_IN_FLIGHT = 1_000;
const TICK_MS = 10;

const { url, perSecond, address }: FloodPlan = JSON.parse(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: MAX_IN_FLIGHT });
const report: FloodReport = { answers: {}, unsent: 0 };
const startedAt = performance.now();
let due = 0;
let inFlight = 0;

function count(answer: string): void {
  report.answers[answer] = (report.answers[answer] ?? 0) + 1;
}

function send(): void {
  inFlight += 1;
  const call = request(url, { agent, headers: { 'x-forwarded-for': address } }, (answer) => {
    count(String(answer.statusCode));
    answer.resume();
  });
  call.on('error', () => count('unanswered'));
  call.once('close', () => {
    inFlight -= 1;
  });
  call.end();
}

setInterval(() => {
  const dueNow = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
  for (; due < dueNow; due += 1) {
    if (inFlight < MAX_IN_FLIGHT) send();
    else report.unsent += 1;
  }
}, TICK_MS);

// The first message of the parent ends the flood. So does the parent's exit.
process.once('message', () => process.send?.(report, () => process.exit()));
process.once('disconnect', () => process.exit());
process.send?.('started');
