import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Experiment, RunExperiment } from '../../experiments/experiment';
import type { ExperimentQueue } from '../../experiments/experiment-queue';
import type { RedisClient } from '../../redis/client';
import { reportProgress } from '../run';
import stored from './examination.json';
import type { ExamineMessage, ExaminePlan, LabExamination } from './examine-process';
import { createExaminedLimiter, type ExaminedId, WINDOW_MS } from './limiters';

export interface ExamineInput {
  limiter: ExaminedId;
  /** Id under which the examination reports its progress. */
  runId?: string | undefined;
  signal?: AbortSignal | undefined;
}

const plan: ExaminePlan = { windowMs: WINDOW_MS, maxCalls: 1_000 };

/** Calls between two reports of progress. */
const PROGRESS_CALLS = 25;

/** The file of the process: next to this one in development, and next to the bundle. */
const isSource = import.meta.url.endsWith('.ts');
const file = fileURLToPath(new URL(`./examine-process.${isSource ? 'ts' : 'js'}`, import.meta.url));

export interface ExamineOptions {
  runExperiment: RunExperiment;
  queue: Pick<ExperimentQueue, 'ahead'>;
  /** Stores the number of experiments before this one. */
  redis: RedisClient;
}

/**
 * Creates the examination of one of the lab's limiters, as `floodgate-limiter examine` does it, on the lab's clock. A process of
 * its own judges, because that would delay the decisions of this node.
 */
export function createExamineLimiter({ runExperiment, queue, redis }: ExamineOptions) {
  return async function examineLimiter({ limiter, runId, signal }: ExamineInput): Promise<LabExamination> {
    const ahead = queue.ahead();
    const report = (progress: { done: number; ahead: number }) =>
      runId === undefined ? undefined : reportProgress(redis, { runId, of: plan.maxCalls, ...progress });
    if (ahead > 0) await report({ done: 0, ahead });
    return runExperiment({ signal }, async (experiment) => {
      await report({ done: 0, ahead: 0 });
      // It needs nothing of the environment, which holds secrets.
      const child = fork(file, [JSON.stringify(plan)], {
        execArgv: isSource ? ['--import', 'tsx'] : [],
        env: { NODE_ENV: 'production' },
      });
      try {
        return await answerCalls(child, {
          experiment,
          limiter,
          onDone: async (done) => report({ done, ahead: 0 }),
        });
      } finally {
        child.kill('SIGKILL');
      }
    });
  };
}

interface AnswerOptions {
  experiment: Experiment;
  limiter: ExaminedId;
  onDone(done: number): Promise<void>;
}

/** Decides the calls of the process until it has a result. */
function answerCalls(
  child: ChildProcess,
  { experiment, limiter, onDone }: AnswerOptions,
): Promise<LabExamination> {
  const { signal } = experiment;
  const decide = createExaminedLimiter(experiment, limiter);
  let done = 0;

  async function answer({ calls }: Extract<ExamineMessage, { calls: unknown }>): Promise<void> {
    signal.throwIfAborted();
    child.send(await Promise.all(calls.map(decide)));
    const reported = Math.floor(done / PROGRESS_CALLS);
    done += calls.length;
    if (Math.floor(done / PROGRESS_CALLS) > reported) await onDone(done);
  }

  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    child.on('error', reject);
    child.once('exit', () => reject(new Error('The process of the examination ended without a result.')));
    child.on('message', (message: ExamineMessage) => {
      if ('result' in message) resolve(message.result);
      else if ('error' in message) reject(new Error(message.error));
      else answer(message).catch(reject);
    });
  });
}

/** Returns the examination of `counter-by-clock`. A test writes it and compares it with a run. */
export function readExamination(): LabExamination {
  return stored as LabExamination;
}
