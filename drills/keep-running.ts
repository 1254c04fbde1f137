import { setTimeout as sleep } from 'node:timers/promises';

/** A process as its starter hands it over. */
export interface RunningProcess {
  /** Settles when it is gone, wanted or not. */
  ended: Promise<void>;
  stop: () => Promise<void>;
  kill: () => Promise<void> | void;
}

/** A process that is started again whenever it dies, as `restart: unless-stopped` in docker-compose.yml does. */
export interface KeptProcess<Kind extends RunningProcess> {
  /** The one that runs now; undefined between two lives. */
  current(): Kind | undefined;
  /** SIGKILL. It comes back by itself. */
  kill(): Promise<void>;
  /** SIGKILL, and it stays down until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Waits until it runs. */
  waitUntilRunning(): Promise<Kind>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

const RESTART_AFTER_MS = 1_000;

/** Starts a process and keeps it running. Throws where the very first start fails. */
export async function keepRunning<Kind extends RunningProcess>(
  start: () => Promise<Kind>,
): Promise<KeptProcess<Kind>> {
  let wanted: 'up' | 'down' | 'over' = 'up';
  let current: Kind | undefined;
  let reviving: Promise<void> = Promise.resolve();

  function adopt(started: Kind): void {
    current = started;
    void started.ended.then(() => {
      current = undefined;
      if (wanted === 'up') reviving = revive();
    });
  }

  /** A start that fails is tried again after the same pause: what it needs may be away as well. */
  async function revive(): Promise<void> {
    while (wanted === 'up') {
      await sleep(RESTART_AFTER_MS);
      if (wanted !== 'up') return;
      const started = await start().catch(() => undefined);
      if (started) return adopt(started);
    }
  }

  async function end(how: 'kill' | 'stop'): Promise<void> {
    await reviving;
    const process = current;
    if (!process) return;
    await process[how]();
    await process.ended;
  }

  adopt(await start());

  return {
    current: () => current,
    kill: () => end('kill'),
    async down() {
      wanted = 'down';
      await end('kill');
    },
    async up() {
      wanted = 'up';
      // A server that was just killed may hold its files for a moment yet.
      const started = await start().catch(() => undefined);
      if (started) adopt(started);
      else reviving = revive();
      await reviving;
    },
    async waitUntilRunning() {
      for (;;) {
        if (current) return current;
        await sleep(20);
      }
    },
    async stop() {
      wanted = 'over';
      await end('stop');
    },
  };
}
