import { type Caller, type DecidingLimiter, namesCaller, viewedSubjectsOf, type Window } from '../limiter';
import type { Context } from '../trpc/context';
import type { Catalogue } from './catalogue';
import { policyOf } from './level-of';

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

/**
 * Returns the windows of one policy that count this caller: as user, by address, by the context, and by the input where
 * one is given. Charges nothing. Throws NOT_FOUND, `InvalidSubjectError` or `StoreUnavailableError`.
 */
export async function ownWindowsOf(
  { context, ...options }: WindowsOptions & { context: Context },
  { policy: name, input }: { policy: string; input?: unknown },
): Promise<Windows> {
  const { caller } = context.rateLimit;
  const policy = policyOf(options.catalogue, name);
  // The catalogue holds policies of any context; the procedures that declare them all have this one.
  const subjects = await viewedSubjectsOf(policy, { caller, context: context as never, input });
  const levels = [...subjects.keys()].filter((index) => subjects[index] !== undefined);
  // Without a level there is no key to read the store's clock by.
  if (levels.length === 0) return { ...(await ownWindows({ ...options, caller })), windows: [] };
  const { now, windows } = await options.limiter.peek(policy, {
    subjects: subjects.map((subject) => subject ?? ''),
    levels,
  });
  return { windows, serverNow: now };
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
