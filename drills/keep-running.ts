import { setTimeout as sleep } from 'node:timers/promises';

/** A started process. */
export interface RunningProcess {
  /** Resolves when the process has ended for any reason. */
  ended: Promise<void>;
  stop: () => Promise<void>;
  kill: () => Promise<void> | void;
}

/** A process that restarts after it dies, like `restart: unless-stopped` in docker-compose.yml. */
export interface KeptProcess<Kind extends RunningProcess> {
  /** The running process, or undefined between its death and its restart. */
  current(): Kind | undefined;
  /** Sends SIGKILL. The process restarts by itself. */
  kill(): Promise<void>;
  /** Stops the process in order. It restarts by itself. */
  drain(): Promise<void>;
  /** Sends SIGKILL and prevents a restart until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Waits until the process runs. Throws the last error of its start as the cause if it does not restart. */
  waitUntilRunning(): Promise<Kind>;
  /** Stops the process and prevents further restarts. */
  stop(): Promise<void>;
}

/** The pause before a restart. */
export const RESTART_AFTER_MS = 1_000;
const RESTARTED_WITHIN_MS = 60_000;

/** Starts a process and keeps it running. Throws if the first start fails. */
export async function keepRunning<Kind extends RunningProcess>(
  start: () => Promise<Kind>,
): Promise<KeptProcess<Kind>> {
  let target: 'up' | 'down' | 'stopped' = 'up';
  let current: Kind | undefined;
  let restarting: Promise<void> = Promise.resolve();
  /** The error of the last failed start. */
  let lastError: unknown;

  function track(started: Kind): void {
    current = started;
    void started.ended.then(() => {
      current = undefined;
      if (target === 'up') restarting = restart();
    });
  }

  async function tryStart(): Promise<Kind | undefined> {
    try {
      return await start();
    } catch (error) {
      lastError = error;
      return undefined;
    }
  }

  /** Starts the process after a pause, and again after each failure: a dependency may be down, too. */
  async function restart(): Promise<void> {
    while (target === 'up') {
      await sleep(RESTART_AFTER_MS);
      if (target !== 'up') return;
      const started = await tryStart();
      if (started) return track(started);
    }
  }

  async function end(how: 'kill' | 'stop'): Promise<void> {
    await restarting;
    const process = current;
    if (!process) return;
    await process[how]();
    await process.ended;
  }

  track(await start());

  return {
    current: () => current,
    kill: () => end('kill'),
    drain: () => end('stop'),
    async down() {
      target = 'down';
      await end('kill');
    },
    async up() {
      target = 'up';
      // A server that was just killed may still hold its files.
      const started = await tryStart();
      if (started) track(started);
      else restarting = restart();
      await restarting;
    },
    async waitUntilRunning() {
      const latest = performance.now() + RESTARTED_WITHIN_MS;
      while (!current) {
        if (performance.now() > latest) throw new Error('the process did not restart', { cause: lastError });
        await sleep(20);
      }
      return current;
    },
    async stop() {
      target = 'stopped';
      await end('stop');
    },
  };
}
