import { z } from 'zod';
import { describeError, StepError } from '../../scripts/lib/steps.mjs';
import { withTimeout } from '../../server/timers';
import { eventually } from '../../test/until';
import { type ComposeRun, runSmoke } from './compose-run';
import { WITHIN_MS } from './docker';
import { createProject, type Project } from './project';

const NODES = 3;
const REDIS_NODES = Array.from({ length: 6 }, (_, index) => `redis-${index + 1}`);
const ANSWER_WITHIN_MS = 5_000;

/** Starts the fleet, runs the smoke test through nginx, kills a node and a Redis master, and runs it again. */
export async function runFleet(run: ComposeRun): Promise<void> {
  const { steps, docker, images, missing, signal } = run;
  const project = await createProject(docker, { images });
  const { nginx, prometheus } = project.ports;
  const prometheusUrl = `http://127.0.0.1:${prometheus}`;
  const smoke = {
    url: `http://127.0.0.1:${nginx}`,
    metricsUrl: `${prometheusUrl}/federate?match[]=${encodeURIComponent('{job="floodgate"}')}`,
  };
  const hasGrafana = !missing.some((name) => name.startsWith('grafana/'));
  try {
    await steps.run('fleet', () => project.up(['nginx', hasGrafana ? 'grafana' : 'prometheus']));
    await steps.run('prometheus', async (note) => {
      await waitForTargets(prometheusUrl, signal);
      note(`${NODES} targets, ${await checkRules(prometheusUrl)} rules`);
    });
    await runSmoke(run, { name: 'its smoke test', ...smoke });
    const master = await findMaster(project);
    await steps.run('kill -9', async (note) => {
      note(`node-2 and ${master}, a master`);
      await Promise.all(['node-2', master].map((service) => project.crash(service)));
    });
    await runSmoke(run, { name: 'smoke test again', ...smoke });
    await steps.run('both are back', async () => {
      await Promise.all(['node-2', master].map((service) => project.waitForRestart(service)));
      await waitForTargets(prometheusUrl, signal);
      await eventually(() => isWhole(project), 'the cluster has all its nodes', {
        ...{ withinMs: WITHIN_MS, everyMs: 500, signal },
      });
    });
  } catch (error) {
    throw new StepError(`${describeError(error)}\n${await project.logs()}`, { cause: error });
  } finally {
    await steps.run('removed', () => project.remove());
  }
}

const targetsSchema = z.object({
  data: z.object({ activeTargets: z.array(z.object({ health: z.string() })) }),
});

/** Waits until Prometheus scrapes every node. */
function waitForTargets(prometheusUrl: string, signal: AbortSignal): Promise<void> {
  const areUp = async () => {
    const reading = fetch(`${prometheusUrl}/api/v1/targets`).catch(() => undefined);
    const answer = await withTimeout(reading, ANSWER_WITHIN_MS, () => undefined);
    if (!answer?.ok) return false;
    const { activeTargets } = targetsSchema.parse(await answer.json()).data;
    return activeTargets.filter(({ health }) => health === 'up').length === NODES;
  };
  return eventually(areUp, `Prometheus scrapes ${NODES} nodes`, {
    ...{ withinMs: WITHIN_MS, everyMs: 500, signal },
  });
}

const rulesSchema = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })),
  }),
});

/** Checks that Prometheus can evaluate every rule. Returns their number. */
async function checkRules(prometheusUrl: string): Promise<number> {
  const answer = await fetch(`${prometheusUrl}/api/v1/rules`);
  const rules = rulesSchema.parse(await answer.json()).data.groups.flatMap((group) => group.rules);
  const broken = rules.filter(({ health }) => health === 'err').map(({ name }) => name);
  if (broken.length > 0 || rules.length === 0)
    throw new StepError(`Of ${rules.length} rules, Prometheus cannot evaluate: ${broken.join(', ')}`);
  return rules.length;
}

async function findMaster(project: Project): Promise<string> {
  for (const service of REDIS_NODES)
    if ((await project.exec(service, ['redis-cli', 'role'])).startsWith('master')) return service;
  throw new StepError('No Redis node is a master.');
}

/** Returns true if all nodes of the cluster are connected, and all slots are served. */
async function isWhole(project: Project): Promise<boolean> {
  const [info, nodes] = await Promise.all(
    ['info', 'nodes'].map((what) => project.exec('redis-6', ['redis-cli', 'cluster', what])),
  );
  const lines = nodes?.trim().split('\n') ?? [];
  const isHealthy = (line: string) => / connected( |$)/.test(line) && !/fail|handshake/.test(line);
  return Boolean(info?.includes('cluster_state:ok')) && lines.filter(isHealthy).length === REDIS_NODES.length;
}
