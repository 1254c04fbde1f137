import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import type { Drill, Scene } from '../drill';
import { ignoreAbort } from '../ignore-abort';
import { type Admin, createNodeClient } from '../node-clients';
import { refusalIn } from '../refusal';

const CHANGES = 120;
const EVERY_MS = 100;
const CALL_EVERY_MS = 20;
const WINDOW_MS = 2_000;
/** The greatest effective limit; the declared one is 6 in a minute. */
const GREATEST_LIMIT = 8;
const HOUR_MS = 60 * 60 * 1000;

/** Of the level that the calls of this drill charge. */
const level = { policy: 'order.change', level: 'user' };
const SHOPPER = 'the-flapped';

/** An operator changes the limit of one shopper, who calls all nodes as often as possible. */
export const subjectLimitsFlapping: Drill = {
  name: 'subject-limits-flapping',
  description:
    'an operator gives one shopper 8 calls in 2 s, 4, none, then lifts this, every 100 ms for 12 s',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject(scene) {
    const { admin, note, reportProblem } = scene;
    const calling = startCalls(scene);
    try {
      for (let change = 0; change < CHANGES; change += 1) {
        await Promise.all([changeLimit(admin, change), sleep(EVERY_MS)]);
      }
    } finally {
      await calling.stop();
    }
    const calls = calling.admitted();
    const fullest = Math.max(
      0,
      ...calls.map(
        ({ sentAt }) =>
          calls.filter((call) => call.sentAt >= sentAt && call.answeredAt < sentAt + WINDOW_MS).length,
      ),
    );
    note(`${calls.length} calls of one shopper, ${fullest} of ${GREATEST_LIMIT} in the fullest window`);
    if (calls.length < GREATEST_LIMIT) reportProblem(`only ${calls.length} calls were admitted`);
    if (fullest > GREATEST_LIMIT) reportProblem(`${fullest} calls in a window of ${GREATEST_LIMIT}`);
  },
};

/** Makes the next change of the limit: the last of four lifts it. */
async function changeLimit(admin: Admin, change: number): Promise<void> {
  const rules = [
    { kind: 'numbers', limit: GREATEST_LIMIT, windowMs: WINDOW_MS },
    { kind: 'numbers', limit: GREATEST_LIMIT / 2, windowMs: WINDOW_MS },
    { kind: 'deny', until: Date.now() + HOUR_MS },
  ] as const;
  const rule = rules[change % (rules.length + 1)];
  if (rule) {
    await admin.limit.person.set.mutate({ ...level, subject: SHOPPER, rule, why: 'a drill' });
    return;
  }
  const { persons } = await admin.limit.person.list.query({});
  for (const { personId } of persons.filter((person) => person.policy === level.policy))
    await admin.limit.person.lift.mutate({ personId });
}

/** Cancels orders that do not exist, which charges `order.change`, on every node. */
function startCalls({ topology, cookieOf, reportProblem }: Scene) {
  const stopping = new AbortController();
  const admitted: { sentAt: number; answeredAt: number }[] = [];
  const context = { cookie: cookieOf(SHOPPER) };

  async function call(url: string): Promise<void> {
    const { calls } = createNodeClient(url);
    while (!stopping.signal.aborted) {
      const sentAt = performance.now();
      const answer: unknown = await calls.order.cancel
        .mutate({ id: randomUUID() }, { context })
        .catch((error) => error);
      if (!(answer instanceof TRPCClientError)) throw new Error('an order that does not exist was cancelled');
      if (answer.data?.code === 'NOT_FOUND') admitted.push({ sentAt, answeredAt: performance.now() });
      else if (!refusalIn(answer)) reportProblem(`a call was answered by ${answer.message}`);
      await sleep(CALL_EVERY_MS, undefined, { signal: stopping.signal });
    }
  }

  const running = topology.nodes.map(({ url }) => call(url).catch(ignoreAbort));
  return {
    admitted: () => admitted,
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
