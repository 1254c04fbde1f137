import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Redis } from 'ioredis';
import type { Algorithm } from '../../server/limiter/index';
import { connectRedis } from '../../server/redis/client';

/** One window of a call. */
export interface Level {
  limit: number;
  windowMs: number;
  /** Only for Floodgate. The others have one algorithm each. */
  algorithm?: Algorithm;
}

/** Options of a contender. Its keys begin with `prefix`, so that cases do not share keys. */
export interface Case {
  redisUrl: string;
  prefix: string;
  levels: readonly Level[];
}

/**
 * An open limiter. `decide` returns true for an admitted call, synchronously if the limiter's API is synchronous. It takes
 * one subject for each level.
 */
export interface Gate {
  decide(subjects: readonly string[]): boolean | Promise<boolean>;
}

/** A measured limiter. */
export interface Contender {
  name: string;
  /** Its algorithm and any adaptation. */
  about: string;
  /** Packages of bench/package.json. Default: none. */
  needs?: readonly string[];
  /** Default: false. */
  isOurs?: boolean;
  open(options: Case): Promise<Gate>;
}

/** Creates a client with the product's options, for every contender on ioredis. */
export async function connect(redisUrl: string): Promise<{ client: Redis; stop: () => Promise<void> }> {
  const client = await connectRedis([redisUrl], (error) => console.error(error));
  if ('nodes' in client) throw new TypeError('the benchmark runs on one Redis');
  return { client, stop: async () => client.disconnect() };
}

/** Imports a package of bench/package.json without types, because type checks also run without these packages. */
export function loadPeer(specifier: string) {
  return import(import.meta.resolve(specifier, pathToFileURL(path.resolve('bench/package.json')).href));
}

export function isInstalled({ needs = [] }: Pick<Contender, 'needs'>): boolean {
  return needs.every((name) => existsSync(manifestOf(name)));
}

/** Returns the names and versions of the packages of an installed contender. */
export function versionsOf({ needs = [] }: Pick<Contender, 'needs'>): string {
  return needs
    .map((name) => `${name} ${JSON.parse(readFileSync(manifestOf(name), 'utf8')).version}`)
    .join(', ');
}

function manifestOf(name: string): string {
  return `bench/node_modules/${name}/package.json`;
}

/** Checks several levels in sequence, for contenders that support one window in each call. */
export function checkInSequence(
  levels: readonly Level[],
  decideBy: (level: Level, index: number) => (subject: string) => Promise<boolean>,
): Gate['decide'] {
  const [only, ...more] = levels.map(decideBy);
  if (!only) throw new TypeError('a case has at least one level');
  if (more.length === 0) return (subjects) => only(subjects[0] ?? '');
  return async (subjects) => {
    if (!(await only(subjects[0] ?? ''))) return false;
    for (const [index, decide] of more.entries()) {
      if (!(await decide(subjects[index + 1] ?? ''))) return false;
    }
    return true;
  };
}
