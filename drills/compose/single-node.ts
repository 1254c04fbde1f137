import { z } from 'zod';
import { describeError, StepError } from '../../scripts/lib/steps.mjs';
import { type ComposeRun, runSmoke } from './compose-run';
import { createProject, type Project } from './project';

/** The rights of the first process of a container, as a script inside it reads them. */
const rightsSchema = z.object({
  user: z.string(),
  capabilities: z.string(),
  noNewPrivileges: z.string(),
  /** The error code of a write into the folder of the program. */
  write: z.string(),
});

const READ_RIGHTS = `
const { readFileSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/1/status', 'utf8');
const read = (name) => status.split(name + ':')[1].trim().split(/\\s/)[0];
let write = 'succeeds';
try { writeFileSync('/app/written', ''); } catch ({ code }) { write = code; }
console.log(JSON.stringify({ user: read('Uid'), capabilities: read('CapEff'), noNewPrivileges: read('NoNewPrivs'), write }));
`;

/** Starts the single node with its databases, runs the smoke test, checks its rights, and stops it with SIGTERM. */
export async function runSingleNode(run: ComposeRun): Promise<void> {
  const { steps, docker, images } = run;
  const project = await createProject(docker, { images });
  try {
    await steps.run('single node', () => project.up(['app']));
    const url = `http://127.0.0.1:${project.ports.app}`;
    await runSmoke(run, { name: 'its smoke test', url, metricsUrl: `${url}/metrics` });
    await steps.run('its rights', async (note) => note(await checkRights(project)));
    await steps.run('SIGTERM', async (note) => {
      const startedAt = performance.now();
      const code = await project.stop('app');
      // 137: killed at the end of its grace period.
      if (code !== 0) throw new StepError(`The node ended with exit code ${code} after SIGTERM.`);
      note(`exit code 0 after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    });
  } catch (error) {
    throw new StepError(`${describeError(error)}\n${await project.logs()}`, { cause: error });
  } finally {
    await steps.run('removed', () => project.remove());
  }
}

/** Checks that the server has no rights beyond those of a plain user, and a read-only file system. */
async function checkRights(project: Project): Promise<string> {
  const text = await project.exec('app', ['node', '-e', READ_RIGHTS]);
  const { user, capabilities, noNewPrivileges, write } = rightsSchema.parse(JSON.parse(text));
  const isConfined =
    user !== '0' && /^0+$/.test(capabilities) && noNewPrivileges === '1' && write === 'EROFS';
  if (!isConfined) throw new StepError(`The server has rights that it does not need: ${text.trim()}`);
  return `user ${user}, no capabilities, read-only`;
}
