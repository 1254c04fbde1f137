import { expect, test } from 'vitest';
import { decisionCases } from './decision-cases';
import { goalsOf } from './decisions';

/** Returns the medians of the goals of a case after two rounds, in which the contenders reached these ratios to the ceiling. */
function reachedOf(name: string, ratios: Record<string, readonly [number, number]>) {
  const given = decisionCases.find((one) => one.name === name);
  if (!given) throw new Error(`no case ${name}`);
  const rows = (['ceiling', ...given.contenders] as const).flatMap((contender) =>
    given.inFlight.map((inFlight) => {
      const rounds = ratios[contender] ?? [1, 1];
      return { contender, inFlight, rounds: { rate: rounds, p50: rounds } };
    }),
  );
  return Object.fromEntries(goalsOf({ given, rows }).map(({ what, reached }) => [what, reached]));
}

test('a lone decision is compared with the fastest other limiter of each round', () => {
  const reached = reachedOf('spread', { log: [0.8, 0.9], flexible: [0.8, 0.45], fastify: [0.4, 0.6] });
  const what = 'sliding log, up to 128 hits, alone ÷ rate-limiter-flexible or @fastify/rate-limit';
  expect(reached[what]).toMatchObject({ low: 1, high: 1.5 });
});

test('the latency of one call is compared with that of rate-limiter-flexible', () => {
  const reached = reachedOf('spread', { together: [1.2, 1.2], flexible: [1, 1], fastify: [0.5, 0.5] });
  expect(reached['p50 of one call in flight ÷ rate-limiter-flexible']).toMatchObject({ median: 1.2 });
});

test('batches are compared with the ceiling', () => {
  const reached = reachedOf('two-levels', { together: [1.4, 1.4] });
  expect(reached['two levels in one decision, together ÷ `EVALSHA return 1`']).toMatchObject({ median: 1.4 });
});
