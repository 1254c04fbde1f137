import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts a service and starts it again, on the same port, whenever it ends without being asked. The server's
 * clients reconnect by themselves, so a database that crashed costs a few refused calls and no restart.
 *
 * @param {string} name
 * @param {(port?: number) => Promise<import('../services/spawn-service.mjs').Service>} start
 */
export async function keepService(name, start) {
  let service = await start();
  const { port } = service;
  let stopping = false;
  void watch();
  return {
    url: service.url,
    about: service.about,
    async stop() {
      stopping = true;
      await service.stop();
    },
    kill() {
      stopping = true;
      return service.kill();
    },
  };

  async function watch() {
    for (;;) {
      await service.ended;
      if (stopping) return;
      console.error(`${name} ended unasked, starting it again on port ${port}`);
      await restart();
    }
  }

  async function restart() {
    while (!stopping) {
      try {
        service = await start(port);
        if (stopping) await service.stop();
        return;
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        await sleep(1_000);
      }
    }
  }
}
