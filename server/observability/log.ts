import pino, { type DestinationStream, type Level, type Logger } from 'pino';
import { errorFields } from './error-fields';
import { redactLine } from './redact';

/** The log of the process: one redacted line of JSON per event. */
export type Log = Logger;

export interface LogOptions {
  /** Minimum level of the written lines. */
  level: Level | 'silent';
  /** Receives the lines. Default: standard output. */
  stream?: DestinationStream;
}

/** Creates the log. Nothing else in the product writes to the console. */
export function createLog({ level, stream }: LogOptions): Log {
  const options = {
    level,
    base: null,
    serializers: { err: errorFields },
    hooks: { streamWrite: redactLine },
  };
  return stream ? pino(options, stream) : pino(options);
}
