import process from 'node:process';
import { loadEnvFile, readEnv } from './env';
import { StartError } from './errors';
import type { StartMessage } from './node/start-node';
import { createLog } from './observability/log';

/** Signals within this time of the first are ignored: a terminal and npm both send one. */
const REPEATED_SIGNAL_MS = 1_000;
/** After this time the process exits. `npm start` waits 5 s before it sends SIGKILL. */
const CLOSE_TIMEOUT_MS = 4_000;

/** Starts one node, reports its progress to the parent process, and drains it on a signal. */
async function main(): Promise<void> {
  if (!process.argv.includes('--no-env-file')) loadEnvFile();
  const env = readEnv();
  const log = createLog({ level: env.LOG_LEVEL });
  // Imported here, so that an invalid policy is printed as a sentence without a stack.
  const { startNode } = await import('./node/start-node');
  // Until the node has started, the process can exit immediately: migrations are transactions.
  let close = () => Promise.resolve();
  drainOnSignal(() => close(), log.warn.bind(log));
  ({ close } = await startNode({ env, log, sendMessage }));
}

/** Sends a message to the parent process. Without an IPC channel, prints notices. */
function sendMessage(message: StartMessage): void {
  if (process.send) process.send(message);
  else if (message.type === 'notice') process.stdout.write(`${message.text}\n`);
}

function drainOnSignal(close: () => Promise<void>, warn: (message: string) => void): void {
  let signalledAt: number | undefined;
  const onSignal = () => {
    if (signalledAt !== undefined) {
      if (performance.now() - signalledAt > REPEATED_SIGNAL_MS) process.exit(1);
      return;
    }
    signalledAt = performance.now();
    setTimeout(() => {
      warn('Floodgate did not stop within 4 s and was ended. Some requests may be incomplete.');
      process.exit(0);
    }, CLOSE_TIMEOUT_MS).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail('Floodgate failed while it stopped.', error),
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // The parent process has exited.
  process.on('disconnect', onSignal);
}

/** Errors of the limiter whose message states the fix. By name, because the limiter is imported after the settings are checked. */
const EXPLAINED = new Set(['PolicyError', 'ProcedureError']);

/** Prints what failed, and the message of an error that the user can fix or the stack of any other. Then exits. */
function fail(failure: string, error: unknown): never {
  const isExplained = error instanceof StartError || (error instanceof Error && EXPLAINED.has(error.name));
  const text = error instanceof Error ? (isExplained ? error.message : error.stack) : String(error);
  process.stderr.write(`\n${failure}\n${text}\n`);
  process.exit(1);
}

main().catch((error: unknown) => fail('Floodgate cannot start.', error));
