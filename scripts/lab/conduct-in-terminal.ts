import { csvOf, jsonOf } from '../../app/_lab/run-file';
import { scenarioOf } from '../../app/_lab/scenario';
import { generateArrivals } from '../../app/_lab/traffic/generate-arrivals';
import { algorithms } from '../../server/lab/algorithms';
import { createLab } from '../../server/lab/lab';
import { connectRedis } from '../../server/redis/client';
import type { Steps } from '../steps.mjs';
import { describeRun } from './describe-run';
import type { LabOrder } from './read-lab-arguments.mjs';

export interface TerminalOptions {
  /** As in `REDIS_URL`. */
  url: string;
  steps: Steps;
}

/** Decides a scenario by every algorithm, and tells of it as it was asked for. */
export async function conductInTerminal(
  { query, format }: LabOrder,
  { url, steps }: TerminalOptions,
): Promise<string> {
  const scenario = scenarioOf(new URLSearchParams(query));
  const arrivals = generateArrivals(scenario);
  const urls = url.split(',');
  const redis = await connectRedis(urls, () => undefined);
  const lab = createLab({
    urls,
    redis,
    log: { debug: () => undefined, warn: (what: unknown) => console.error(what) },
  });
  try {
    const { limit, windowMs } = scenario;
    const { runs } = await steps.run('run', (note) => {
      note(`${arrivals.length} calls, ${algorithms.length} algorithms`);
      return lab.run({ algorithms, limit, windowMs, arrivals });
    });
    switch (format) {
      case 'json':
        return jsonOf(scenario, runs);
      case 'csv':
        return csvOf(runs);
      case 'text':
        return describeRun(scenario, runs);
    }
  } finally {
    await lab.stop();
    redis.disconnect();
  }
}
