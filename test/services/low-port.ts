import { randomInt } from 'node:crypto';
import { isPortFree } from '../../scripts/lib/ports.mjs';

const taken = new Set<number>();

/**
 * Finds a free port below the ephemeral range: an outgoing connection could otherwise take the port of a killed process,
 * which then could not restart.
 */
export async function findLowPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (taken.has(port) || !(await isPortFree(port, '127.0.0.1'))) continue;
    taken.add(port);
    return port;
  }
}
