import { randomInt } from 'node:crypto';
import { isPortFree } from '../../scripts/lib/ports.mjs';

const taken = new Set<number>();

/**
 * A free port below those that the kernel gives to outgoing connections: one of these could take the port of a process
 * that a test has killed, and it could not start again.
 */
export async function findLowPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (taken.has(port) || !(await isPortFree(port, '127.0.0.1'))) continue;
    taken.add(port);
    return port;
  }
}
