/**
 * The process of one examination: it chooses the calls and judges the answers, which takes up to 300 ms at a time. Its
 * argument is an `ExaminePlan`.
 */
import process from 'node:process';
import { examine } from '../../limiter/examine/examine';
import { adviseOn } from '../../limiter/examine/report';
import type { ExaminedAnswer, ExaminedCall } from './limiters';

export interface ExaminePlan {
  /** The window that the caller names. */
  windowMs: number;
  maxCalls: number;
}

/** A message to the node: calls of one instant, or the end. */
export type ExamineMessage = { calls: ExaminedCall[] } | { result: LabExamination } | { error: string };

/** The result of an examination. Times in ms since its first call. */
export type LabExamination = Awaited<ReturnType<typeof examineLimiter>>;

/** The cards of the lab that show the greatest problem. */
const cards = ['chosen-key', 'four-commands', 'self-extending-block', 'double-burst'] as const;

type Send = (call: ExaminedCall) => Promise<ExaminedAnswer>;

/** Not an edge of any window. */
const START_MS = 3_741;
/** A call is decided this long after it was sent, and answered this long after that. */
const LATENCY_MS = 1;

/** Examines the limiter that answers the calls, on the lab's clock: nothing waits in real time. */
async function examineLimiter(send: Send, { windowMs, maxCalls }: ExaminePlan) {
  let now = START_MS;
  const { finding, facts, calls } = await examine(
    {
      now: () => now,
      async sleepUntil(instant) {
        now = Math.max(now, Math.ceil(instant));
      },
      async send({ headers } = {}) {
        const from = now;
        const at = from + LATENCY_MS;
        const answer = await send({ at, forwardedFor: headers?.['x-forwarded-for'] });
        const to = at + answer.delayMs + LATENCY_MS;
        now = Math.max(now, to);
        return { status: answer.allowed ? 200 : 429, headers: answer.headers, from, to };
      },
    },
    { refusedBy: [429], maxCalls, maxLimit: 100, windowMs },
  );
  const { worst, edge, checks } = facts;
  const { lab = null } = adviseOn({ finding, facts });
  const wrong = checks.some(({ isGood }) => isGood === false) ? ('header' as const) : ('nothing' as const);
  const card = cards.find((id) => lab?.endsWith(`card=${id}`));
  const retryAfter = checks.find(({ name }) => name.startsWith('Retry-After'));
  const numbers = checks.filter((check) => check !== retryAfter);
  const start = calls[0]?.from ?? 0;
  const timesOf = (wasAllowed: boolean) =>
    calls.filter(({ allowed }) => allowed === wasAllowed).map(({ from }) => from - start);
  return {
    names: finding.names,
    limit: finding.limit,
    windowMs: finding.windowMs,
    countsRefusals: finding.countsRefusals,
    /** Of a sliding counter, the fewest that explain the calls. */
    subWindows: finding.subWindows ?? null,
    evidence: finding.evidence.map(({ name, contradictions }) => ({ name, contradictions })),
    worst: { count: worst.count, from: worst.from - start },
    edge: { count: edge.count, withinMs: edge.to - edge.from },
    burst: facts.burst,
    /** Null if a refusal has no Retry-After. */
    isRetryAfterTrue: retryAfter?.isGood ?? null,
    /** Besides Retry-After. */
    headers: facts.headers.filter((name) => name !== 'retry-after'),
    areHeadersTrue: numbers.every(({ isGood }) => isGood !== false),
    /** Null of a limiter that delays calls, where it is not tried. */
    bypasses: facts.bypasses ?? null,
    advice: card ?? (lab ? ('bucket' as const) : wrong),
    /** The query of the lab's address that shows the problem. */
    lab,
    admittedAt: timesOf(true),
    refusedAt: timesOf(false),
  };
}

/** Returns a function that sends calls to the node. Calls of one tick are one message, so that they are decided at once. */
function createSend(post: (message: ExamineMessage) => void): Send {
  let batch: { call: ExaminedCall; resolve(answer: ExaminedAnswer): void }[] = [];
  process.on('message', (answers: ExaminedAnswer[]) => {
    const sent = batch;
    batch = [];
    for (const [index, answer] of answers.entries()) sent[index]?.resolve(answer);
  });
  return function send(call) {
    if (batch.length === 0) queueMicrotask(() => post({ calls: batch.map(({ call }) => call) }));
    return new Promise((resolve) => {
      batch.push({ call, resolve });
    });
  };
}

if (process.send) {
  const post: (message: ExamineMessage) => void = process.send.bind(process);
  examineLimiter(createSend(post), JSON.parse(process.argv[2] ?? '')).then(
    (result) => post({ result }),
    (error: unknown) => post({ error: String(error) }),
  );
}
