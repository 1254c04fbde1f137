import { isPortFree } from '../../scripts/lib/ports.mjs';

const FIRST = 20_000;
const BLOCKS = 100;
const PORTS_PER_BLOCK = 120;

/** Processes with other ids use other blocks, so that none takes a port that another has found but does not use yet. */
const block = FIRST + (process.pid % BLOCKS) * PORTS_PER_BLOCK;
let found = 0;

/**
 * Finds a free port below the ephemeral range: an outgoing connection could otherwise take the port of a killed process,
 * which then could not restart. Finds each port once, until all ports of the block have been found.
 */
export async function findLowPort(): Promise<number> {
  for (;;) {
    const port = block + (found++ % PORTS_PER_BLOCK);
    if (await isPortFree(port, '127.0.0.1')) return port;
  }
}
