import { expect, test } from 'vitest';
import { decisionCases } from './decision-cases';
import { goalsOf } from './decisions';

const spread = (median: number) => ({ median, low: median, high: median });

/** Returns the bound of each goal of a case, by its contender, after a run in which rate-limiter-flexible reached `rate`. */
function boundsOf(name: string, rate: number) {
  const given = decisionCases.find((one) => one.name === name);
  if (!given) throw new Error(`no case ${name}`);
  const rows = given.contenders.flatMap((contender) =>
    given.inFlight.map((inFlight) => {
      const reached = spread(contender === 'flexible' ? rate : 1);
      return { contender, inFlight, rate: reached, p50: reached };
    }),
  );
  return Object.fromEntries(goalsOf({ given, rows }).map(({ what, bound }) => [what, bound]));
}

const ceiling = ' ÷ `EVALSHA return 1`';

test('a lone decision has to reach 0.84, or rate-limiter-flexible if that is faster in the same run', () => {
  for (const what of ['fixed window, alone', 'sliding log, up to 128 hits, alone']) {
    expect(boundsOf('spread', 0.8)[`${what}${ceiling}`]).toEqual({ min: 0.84 });
    expect(boundsOf('spread', 0.9)[`${what}${ceiling}`]).toEqual({ min: 0.9 });
  }
});

test('batches have to reach 2.0 with 64 in flight, 2.3 with 512, and p50 of one call at most 1.2', () => {
  expect(boundsOf('spread', 0.9)).toMatchObject({
    [`together, 64 in flight${ceiling}`]: { min: 2 },
    [`together, 512 in flight${ceiling}`]: { min: 2.3 },
    'p50 of one call in flight ÷ the ceiling’s': { max: 1.2 },
  });
});

test('two levels together have to reach 1.6', () => {
  expect(boundsOf('two-levels', 0.9)[`two levels in one decision, together${ceiling}`]).toEqual({ min: 1.6 });
});
