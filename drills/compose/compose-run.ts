import type { Steps } from '../../scripts/lib/steps.mjs';
import { eventually } from '../../test/until';
import { readReadiness, runJourney } from '../smoke/journey';
import { createSmokeSteps } from '../smoke/steps';
import { type Docker, WITHIN_MS } from './docker';

/** The parts that the single node and the fleet share. */
export interface ComposeRun {
  docker: Docker;
  steps: Steps;
  signal: AbortSignal;
  /** The images that docker-compose.yml names. */
  images: readonly string[];
  /** Those of them that could not be pulled and have no stand-in. */
  missing: readonly string[];
}

/** Behind nginx, consecutive answers come from different nodes. */
const READY_ANSWERS = 6;

/** Waits until an instance is ready, and runs the smoke test there. */
export function runSmoke(
  { steps, signal }: ComposeRun,
  { name, url, metricsUrl }: { name: string; url: string; metricsUrl: string },
): Promise<void> {
  const print = (line: string) => void process.stdout.write(`    ${line}\n`);
  const step = createSmokeSteps({ signal, print, withinMs: WITHIN_MS });
  return steps.run(name, async () => {
    let answers = 0;
    const isReady = async () => {
      answers = await readReadiness(url).then(
        () => answers + 1,
        () => 0,
      );
      return answers === READY_ANSWERS;
    };
    await eventually(isReady, `${url} is ready`, { withinMs: WITHIN_MS, everyMs: 500, signal });
    await runJourney({ url, metricsUrl, step, signal });
  });
}
