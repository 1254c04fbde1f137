import { expect, test } from 'vitest';
import { generateArrivals } from '../../app/_lab/generate-arrivals';
import { parseScenario } from '../../app/_lab/scenario';
import { createReadExample, EXAMPLE_INTERVAL_MS, exampleInput, RETRY_INTERVAL_MS } from './example';
import type { LabRun } from './run';

const unexpected = (error: unknown) => {
  throw error;
};

test('the example is the scenario of a page without a query', () => {
  const scenario = parseScenario(new URLSearchParams());
  expect(exampleInput).toMatchObject({ limit: scenario.limit, windowMs: scenario.windowMs });
  expect(exampleInput.arrivals).toEqual(generateArrivals(scenario));
});

test('visitors within a minute share one run', async () => {
  let now = 0;
  const runs: LabRun[] = [];
  const read = createReadExample({
    async run() {
      runs.push({ runs: [] });
      return runs.at(-1) ?? { runs: [] };
    },
    onFailure: unexpected,
    now: () => now,
  });
  await Promise.all([read(), read()]);
  now = EXAMPLE_INTERVAL_MS - 1;
  expect(await read()).toBe(runs[0]);
  expect(runs).toHaveLength(1);

  now = EXAMPLE_INTERVAL_MS;
  expect(await read()).toBe(runs[0]);
  expect(await read()).toBe(runs[1]);
  expect(runs).toHaveLength(2);
});

test('a failed run gives no result, and a later read runs again', async () => {
  let now = 0;
  let isDown = true;
  const failures: unknown[] = [];
  const read = createReadExample({
    async run() {
      if (isDown) throw new Error('Redis is down');
      return { runs: [] };
    },
    onFailure: (error) => failures.push(error),
    now: () => now,
  });
  expect(await read()).toBeNull();
  expect(await read()).toBeNull();
  expect(failures).toHaveLength(1);

  isDown = false;
  now = RETRY_INTERVAL_MS;
  expect(await read()).toEqual({ runs: [] });
});
