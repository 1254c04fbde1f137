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
  const end = () => {
    if (signalledAt !== undefined) {
      if (performance.now() - signalledAt > REPEATED_SIGNAL_MS) process.exit(1);
      return;
    }
    signalledAt = performance.now();
    setTimeout(() => {
      warn('Not everything ended in time.');
      process.exit(0);
    }, CLOSE_TIMEOUT_MS).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  // The parent process has exited.
  process.on('disconnect', end);
}

/** Errors of the limiter whose message states the fix. By name, because the limiter is imported after the settings are checked. */
const EXPLAINED = new Set(['PolicyError', 'ProcedureError']);

/** Prints the message of an error that the user can fix, the stack of any other, and exits. */
function fail(error: unknown): never {
  const isExplained = error instanceof StartError || (error instanceof Error && EXPLAINED.has(error.name));
  const text = error instanceof Error ? (isExplained ? error.message : error.stack) : String(error);
  process.stderr.write(`\nFloodgate cannot go on.\n${text}\n`);
  process.exit(1);
}

main().catch(fail);
