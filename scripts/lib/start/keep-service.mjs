import { setTimeout as sleep } from 'node:timers/promises';
import { areServicesClosing } from '../services/spawn-service.mjs';

/**
 * Starts a service and restarts it on the same port whenever it exits unexpectedly. The clients of the server reconnect
 * by themselves, so a crashed database costs a few failed calls and no restart of the server.
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
      console.error(`${name} exited unexpectedly, restarting it on port ${first.port}`);
      try {
        return void keepRunning(await start(first.port));
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        await sleep(1_000);
      }
    }
  }
}
