import type { DecidingLimiter } from '../limiter/adapters/trpc';
import {
  isKeyedByCaller,
  isMissing,
  readPlans,
  type Subjects,
  viewedSubjectsOf,
  type Window,
} from '../limiter/index';
import type { Context } from '../trpc/context';
import { findPolicy, type PolicyRegistry } from './policy-registry';

/** Windows, and the instant of their state by the store's clock. */
export interface WindowsAnswer {
  windows: Window[];
  serverNow: number;
}

export interface WindowsOptions {
  limiter: Pick<DecidingLimiter, 'peek'>;
  policies: PolicyRegistry;
}

/** Peeks at the windows that count this caller by user and by address. Throws `StoreUnavailableError`. */
export function peekOwnWindows(options: WindowsOptions & { context: Context }): Promise<WindowsAnswer> {
  const { user, ip } = options.context.rateLimit.caller;
  const subjects: Subjects = { user, ip };
  return peekWindows(options, {
    subjects,
    isPeeked: (level) => isKeyedByCaller(level) && !isMissing(subjects[level.level]),
  });
}

/**
 * Peeks at the windows of one policy that count this caller by user, by address, by the context, and by the input if one
 * is given. Throws NOT_FOUND, `InvalidSubjectError` or `StoreUnavailableError`.
 */
export async function peekPolicyWindows(
  { context, ...options }: WindowsOptions & { context: Context },
  { policy: name, input }: { policy: string; input?: unknown },
): Promise<WindowsAnswer> {
  const { caller } = context.rateLimit;
  const policy = findPolicy(options.policies, name);
  // The registry holds policies of any context, but all procedures of this router have this one.
  const subjects = await viewedSubjectsOf(policy, { caller, context: context as never, input });
  const levels = Object.keys(subjects);
  // A peek without a level reads no clock.
  if (levels.length === 0) return { ...(await peekOwnWindows({ ...options, context })), windows: [] };
  const { now, windows } = await options.limiter.peek(policy, subjects, {
    levels,
    plans: readPlans(policy.levels, { input, context: context as never }),
  });
  return { windows, serverNow: now };
}

/** Peeks at the windows of the global levels. Throws `StoreUnavailableError`. */
export function peekGlobalWindows(options: WindowsOptions): Promise<WindowsAnswer> {
  return peekWindows(options, { subjects: {}, isPeeked: ({ level }) => level === 'global' });
}

interface PeekedLevels {
  subjects: Subjects;
  isPeeked: (level: PolicyRegistry[number]['levels'][number]) => boolean;
}

async function peekWindows(
  { limiter, policies, context }: WindowsOptions & { context?: Context },
  { subjects, isPeeked }: PeekedLevels,
): Promise<WindowsAnswer> {
  const peeks = await Promise.all(
    policies.flatMap((policy) => {
      const levels = policy.levels.filter(isPeeked).map(({ level }) => level);
      if (levels.length === 0) return [];
      // The level `global`, which is read without a caller, has no plans.
      const plans = context && readPlans(policy.levels, { input: undefined, context: context as never });
      return [limiter.peek(policy, subjects, { plans, levels })];
    }),
  );
  return {
    windows: peeks.flatMap(({ windows }) => windows),
    serverNow: Math.max(...peeks.map(({ now }) => now)),
  };
}
