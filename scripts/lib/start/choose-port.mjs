import { setTimeout as sleep } from 'node:timers/promises';
import { isPortFree } from '../ports.mjs';
import { StepError } from '../step-error.mjs';

const FIRST_PORT = 3000;
const LAST_PORT = 3010;

/**
 * The port to serve on: `PORT`, which must be free, or without it the first free one from 3000 to 3010.
 * What is no port number at all is passed on, since the server names every bad setting in one place.
 *
 * @param {Record<string, string | undefined>} env
 * @param {{ maxWaitMs?: number }} [options] How long to wait for a busy `PORT`: after a SIGKILL the former
 *   server may still be draining.
 * @returns {Promise<string>}
 */
export async function choosePort({ PORT, HOST }, { maxWaitMs = 0 } = {}) {
  const host = HOST || '127.0.0.1';
  if (PORT) {
    const port = Number(PORT);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return PORT;
    const deadline = Date.now() + maxWaitMs;
    while (!(await isPortFree(port, host))) {
      if (Date.now() >= deadline) throw portIsBusy(PORT);
      await sleep(100);
    }
    return PORT;
  }
  for (let port = FIRST_PORT; port <= LAST_PORT; port += 1) {
    if (await isPortFree(port, host)) return String(port);
  }
  throw new StepError(`All ports from ${FIRST_PORT} to ${LAST_PORT} are busy.`, {
    hint: 'Name a free one: PORT=4000 npm start',
  });
}

/** @param {string} port */
function portIsBusy(port) {
  return new StepError(`Port ${port} is busy, and PORT asks for that one.`, {
    hint: `End the program that has it (lsof -i :${port}), name another, or leave PORT unset.`,
  });
}
