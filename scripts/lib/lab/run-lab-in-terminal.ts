import { generateArrivals } from '../../../app/_lab/generate-arrivals';
import { formatCsv, formatJson } from '../../../app/_lab/run-file';
import { parseScenario } from '../../../app/_lab/scenario';
import { algorithms } from '../../../server/lab/algorithms';
import { cardIds } from '../../../server/lab/cards/cards';
import { createLab, type Lab } from '../../../server/lab/lab';
import { type Race, raceVariants } from '../../../server/lab/race';
import { connectRedis } from '../../../server/redis/client';
import type { Steps } from '../steps.mjs';
import { describeMistake, describeRaces } from './describe-demonstration';
import { describeRun } from './describe-run';
import type { LabRequest } from './read-lab-arguments.mjs';

/** The demonstrations: a race, and the cards of the lab. */
export const demonstrations: readonly string[] = ['race', ...cardIds];

export interface TerminalOptions {
  /** The value of `REDIS_URL`. */
  url: string;
  steps: Steps;
}

/** Runs the requested scenario, or one of `demonstrations`, and returns the text to print. */
export async function runLabInTerminal(
  { scenario, format }: LabRequest,
  { url, steps }: TerminalOptions,
): Promise<string> {
  const urls = url.split(',');
  const redis = await connectRedis(urls, () => undefined);
  const log = { debug: () => undefined, warn: (_what: unknown, message?: string) => console.error(message) };
  const lab = createLab({ urls, redis, log });
  try {
    if ('query' in scenario) return await runInTerminal(lab, { query: scenario.query, format, steps });
    const { demonstration } = scenario;
    return await steps.run(demonstration, () => runDemonstration(lab, demonstration, format));
  } finally {
    await lab.stop();
    redis.disconnect();
  }
}

interface RunOptions extends Pick<LabRequest, 'format'> {
  query: string;
  steps: Steps;
}

async function runInTerminal(lab: Lab, { query, format, steps }: RunOptions): Promise<string> {
  const scenario = parseScenario(new URLSearchParams(query));
  const arrivals = generateArrivals(scenario);
  const { limit, windowMs, subWindows } = scenario;
  const { runs } = await steps.run('run', (note) => {
    note(`${arrivals.length} calls, ${algorithms.length} algorithms`);
    return lab.run({ algorithms, limit, windowMs, subWindows, arrivals });
  });
  switch (format) {
    case 'json':
      return formatJson(scenario, runs);
    case 'csv':
      return formatCsv(runs);
    case 'text':
      return describeRun(scenario, runs);
  }
}

async function runDemonstration(
  lab: Lab,
  demonstration: string,
  format: LabRequest['format'],
): Promise<string> {
  const mistake = cardIds.find((id) => id === demonstration);
  if (mistake) {
    const shown = await lab.showMistake({ mistake, language: 'en' });
    return format === 'json' ? JSON.stringify(shown, null, 2) : describeMistake(shown);
  }
  const races: Race[] = [];
  for (const variant of raceVariants) {
    races.push(await lab.race({ variant, limit: 10, windowMs: 10_000, concurrency: 200 }));
  }
  return format === 'json' ? JSON.stringify(races, null, 2) : describeRaces(races);
}
