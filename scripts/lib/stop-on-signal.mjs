import { stopCommands } from './run-command.mjs';

/** Stops the commands of a script when the script receives a signal. The commands have their own process groups. */
export function stopOnSignal() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, async () => {
      await stopCommands();
      process.exit(130);
    });
  }
}
