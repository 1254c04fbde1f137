import process from 'node:process';
import { loadEnvFile, readEnv } from './env';
import { StartError } from './errors';
import { createLog } from './observability/log';

/** Signals within this time of the first are the same wish: a terminal and npm both send one. */
const SAME_WISH_MS = 1_000;
/** Whatever hangs then is left behind; whoever started this process waits five seconds in all. */
const DEADLINE_MS = 4_000;

/** The process: starts one node, tells whoever started it how far it is, and ends in good order. */
async function main(): Promise<void> {
  if (!process.argv.includes('--no-env-file')) loadEnvFile();
  const env = readEnv();
  const log = createLog({ level: env.LOG_LEVEL });
  // Loaded late, so that a policy that makes no sense is a sentence here and not a stack trace.
  const { startNode } = await import('./node/start-node');
  // Until the node is there, nothing is lost by ending at once: migrations are transactions.
  let close = () => Promise.resolve();
  endWhenAsked(() => close(), log.warn.bind(log));
  ({ close } = await startNode({ env, log, sendMessage }));
}

/** Tells the parent process, where there is one that listens; without one, a notice goes to the terminal. */
function sendMessage(message: StartMessage): void {
  if (process.send) process.send(message);
  else if (message.type === 'notice') process.stdout.write(`${message.text}\n`);
}

/** How far the start is; a `notice` is for the person at the terminal. */
export type StartMessage =
  | { type: 'step'; name: string; ms: number }
  | { type: 'notice'; text: string }
  | { type: 'listening'; url: string };

function endWhenAsked(close: () => Promise<void>, warn: (message: string) => void): void {
  let askedAt: number | undefined;
  const end = () => {
    if (askedAt !== undefined) {
      if (performance.now() - askedAt > SAME_WISH_MS) process.exit(1);
      return;
    }
    askedAt = performance.now();
    setTimeout(() => {
      warn('Not everything ended in time.');
      process.exit(0);
    }, DEADLINE_MS).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  // Whoever started this process is gone, however it ended.
  process.on('disconnect', end);
}

/** Errors of the limiter whose message says what to do. By name: the limiter is loaded after the settings are checked. */
const EXPLAINED = new Set(['PolicyError', 'ProcedureError']);

/** Prints an error that a person can correct as its message, any other with its stack. */
function fail(error: unknown): never {
  const isExplained = error instanceof StartError || (error instanceof Error && EXPLAINED.has(error.name));
  const text = error instanceof Error ? (isExplained ? error.message : error.stack) : String(error);
  process.stderr.write(`\nFloodgate cannot go on.\n${text}\n`);
  process.exit(1);
}

main().catch(fail);
