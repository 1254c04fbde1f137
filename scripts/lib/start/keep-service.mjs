import { setTimeout as sleep } from 'node:timers/promises';
import { areServicesClosing } from '../services/spawn-service.mjs';

/**
 * Starts a service and starts it again, on the same port, whenever it ends without being asked. The server's
 * clients reconnect by themselves, so a database that crashed costs a few refused calls and no restart.
 *
 * @param {string} name
 * @param {(port?: number) => Promise<import('../services/spawn-service.mjs').Service>} start
 * @returns {Promise<{ url: string, about: string }>}
 */
export async function keepServiceRunning(name, start) {
  const first = await start();
  void keepRunning(first);
  return { url: first.url, about: first.about };

  /** @param {import('../services/spawn-service.mjs').Service} service */
  async function keepRunning(service) {
    await service.ended;
    while (!areServicesClosing()) {
      console.error(`${name} ended unasked, starting it again on port ${first.port}`);
      try {
        return void keepRunning(await start(first.port));
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        await sleep(1_000);
      }
    }
  }
}
