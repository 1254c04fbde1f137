/**
 * `npm run smoke -- URL`: signs in at a running instance in demo mode, buys, is refused, queues, is served, pays, and reads
 * /readyz and /metrics. It fails with the name of the failed step. `--metrics URL` names the metrics where a proxy hides them.
 * `--shoppers N` sends this many shoppers of the drills instead, and prints one screen of numbers.
 */
import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { runJourney } from '../drills/smoke/journey';
import { sendShoppers } from '../drills/smoke/load';
import { createSmokeSteps } from '../drills/smoke/steps';
import { loadEnvFileWithoutSettings } from './lib/script.mjs';
import { describeError, StepError } from './lib/steps.mjs';

const USAGE = 'npm run smoke -- http://127.0.0.1:3000 [--shoppers 2000] [--metrics URL]';
/** The demo accounts of more shoppers fill the database of the instance. */
const MAX_SHOPPERS = 100_000;
const STEP_WITHIN_MS = 60_000;
/** A busy machine with an embedded Postgres takes 13. */
const SIGN_IN_MS = 100;

/** Parses the command line. Throws a StepError for a wrong argument. */
function parseOptions(args: string[]): { url: string; metricsUrl: string; shoppers: number | undefined } {
  const options = { shoppers: { type: 'string' }, metrics: { type: 'string' } } as const;
  const { values, positionals } = parse(() => parseArgs({ args, options, allowPositionals: true }));
  const [address, ...others] = positionals;
  if (address === undefined || others.length > 0) throw wrong('Give the address of one instance.');
  const url = parseUrl(address);
  const { metrics, shoppers } = values;
  const metricsUrl = metrics === undefined ? `${url.origin}/metrics` : parseUrl(metrics).href;
  if (url.pathname !== '/') throw wrong(`${address} has a path; the address of an instance has none.`);
  if (shoppers === undefined) return { url: url.origin, metricsUrl, shoppers };
  if (!/^[1-9]\d*$/.test(shoppers) || Number(shoppers) > MAX_SHOPPERS)
    throw wrong(`--shoppers ${shoppers} is no whole number from 1 to ${MAX_SHOPPERS}.`);
  return { url: url.origin, metricsUrl, shoppers: Number(shoppers) };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw wrong(`${text} is no address that begins with http:// or https://.`);
}

/** Turns the errors of `parseArgs` into those of a step. */
function parse<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof TypeError) throw wrong(error.message);
    throw error;
  }
}

function wrong(problem: string): StepError {
  return new StepError(problem, { hint: USAGE });
}

/** Aborts on the first signal, so that what the run has changed is changed back. The second ends the process. */
function abortOnSignal(): AbortSignal {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stopping.abort(new StepError(`Stopped by ${name}.`)));
  return stopping.signal;
}

async function main(): Promise<void> {
  const { shoppers, ...target } = parseOptions(process.argv.slice(2));
  const signal = abortOnSignal();
  if (shoppers === undefined) return runJourney({ ...target, signal, step: createSmokeSteps({ signal }) });
  const step = createSmokeSteps({ signal, withinMs: STEP_WITHIN_MS + shoppers * SIGN_IN_MS });
  console.log(`\n${await sendShoppers({ ...target, shoppers, step, signal })}`);
}

loadEnvFileWithoutSettings();
// For a process that ends before its last step.
process.exitCode = 1;
main().then(
  // A step that ran out of time may still poll.
  () => process.exit(0),
  (error: unknown) => {
    console.error(describeError(error));
    process.exit(1);
  },
);
