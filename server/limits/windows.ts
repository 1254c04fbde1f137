import { type Caller, type DecidingLimiter, namesCaller, type Window } from '../limiter';
import type { Catalogue } from './catalogue';

/** Windows as they stand, and the instant of it by the store's clock. */
export interface Windows {
  windows: Window[];
  serverNow: number;
}

export interface WindowsOptions {
  limiter: Pick<DecidingLimiter, 'peek'>;
  catalogue: Catalogue;
}

/** The windows that count this caller, as user and by address. Charges nothing. Throws `StoreUnavailableError`. */
export function ownWindows({ caller, ...options }: WindowsOptions & { caller: Caller }): Promise<Windows> {
  const subjects: Record<string, string | undefined> = { user: caller.user, ip: caller.ip };
  return windowsOf(options, (level) => (namesCaller(level) ? subjects[level.level] : undefined));
}

/** The windows that everybody shares. Charges nothing. Throws `StoreUnavailableError`. */
export function globalWindows(options: WindowsOptions): Promise<Windows> {
  return windowsOf(options, ({ level }) => (level === 'global' ? '' : undefined));
}

/** The windows of every level that `subjectOf` knows a subject for. */
async function windowsOf(
  { limiter, catalogue }: WindowsOptions,
  subjectOf: (level: Catalogue[number]['levels'][number]) => string | undefined,
): Promise<Windows> {
  const peeks = await Promise.all(
    catalogue.flatMap((policy) => {
      const subjects = policy.levels.map(subjectOf);
      const levels = [...subjects.keys()].filter((place) => subjects[place] !== undefined);
      if (levels.length === 0) return [];
      return [limiter.peek(policy, { subjects: subjects.map((subject) => subject ?? ''), levels })];
    }),
  );
  return {
    windows: peeks.flatMap(({ windows }) => windows),
    serverNow: Math.max(...peeks.map(({ now }) => now)),
  };
}
