import { stopCommands } from './run-command.mjs';

/** Ends what a script runs together with the script: its commands live in process groups of their own. */
export function stopOnSignal() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, async () => {
      await stopCommands();
      process.exit(130);
    });
  }
}
