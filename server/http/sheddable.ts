import type { AnyTRPCRouter, TRPCError } from '@trpc/server';
import { errorShapeOf, listProcedures, middlewaresOf, refusalError } from '../limiter/adapters/trpc';
import {
  excludedLevels,
  type Policy,
  type PolicyCall,
  type Refused,
  type ResolvedPolicy,
  refusalData,
  requestedTicket,
  resolvePolicy,
} from '../limiter/index';
import type { Context } from '../trpc/context';
import { publicProcedure, userProcedure } from '../trpc/procedures';

/** A procedure whose limits depend only on the head of a request, except for conditions. */
export interface SheddableProcedure {
  path: string;
  type: 'query' | 'mutation';
  policy: ResolvedPolicy<Context>;
  /** True if the procedure answers 401 before its limits. */
  needsUser: boolean;
  /** Names of the levels: global, user or ip. */
  levels: readonly string[];
  /** Names of the levels that have a condition or a queue. */
  conditionalLevels: readonly string[];
  /** Returns the names of the levels that are not certain to refuse a call: conditions exclude them, or the call may wait. */
  findExcludedLevels: (call: PolicyCall<Context>) => readonly string[];
}

/**
 * Returns the procedures of a router that can be shed, by path: those with only `user`, `ip` and `global` levels in one of
 * their policies, and with no middleware before their limits except the sign-in check.
 */
export function listSheddableProcedures(router: AnyTRPCRouter): Map<string, SheddableProcedure> {
  const found = new Map<string, SheddableProcedure>();
  for (const { path, type, policies } of listProcedures(router)) {
    if (type === 'subscription') continue;
    const before = policies[0]?.before;
    const isPublic = isSameList(before, middlewaresOf(publicProcedure));
    const needsUser = isSameList(before, middlewaresOf(userProcedure));
    if (!(isPublic || needsUser)) continue;
    const policy = policies.map((one) => resolveSheddable(one.policy, path)).find((one) => one);
    if (!policy) continue;
    found.set(path, {
      ...{ path, type, policy, needsUser },
      levels: policy.levels.map(({ level }) => level),
      conditionalLevels: policy.levels.flatMap(({ level, when, queue }) => (when || queue ? [level] : [])),
      findExcludedLevels(call) {
        const excluded = excludedLevels(policy, call);
        const queued = requestedTicket(policy, call) && policy.levels.at(-1);
        return queued ? [...excluded, queued.level] : excluded;
      },
    });
  }
  return found;
}

/** Returns a policy whose limits depend only on the head of a request, except for conditions. */
function resolveSheddable(
  declared: Policy<never> | 'unlimited',
  path: string,
): ResolvedPolicy<Context> | undefined {
  if (declared === 'unlimited') return undefined;
  // Every procedure of the router has this context.
  const policy = resolvePolicy(declared, path) as ResolvedPolicy<Context>;
  // A cost by call, a level with its own `by`, and a plan need more than the head of a request. The others are global, user and ip.
  return policy.costOf || policy.levels.some(({ by, plans }) => by || plans) ? undefined : policy;
}

function isSameList(one: readonly object[] | undefined, other: readonly object[]): boolean {
  return one?.length === other.length && one.every((entry, index) => entry === other[index]);
}

interface RefusalToEncode {
  path: string;
  policy: Pick<ResolvedPolicy<never>, 'message' | 'levels'>;
  language: string;
  refusal: Refused;
}

/**
 * Creates a function that encodes tRPC's JSON answer to a refused call. The router's own formatter runs once for each
 * procedure, level and language. Only the data of the refusal is encoded for each call.
 */
export function createRefusalEncoder(router: AnyTRPCRouter): (refusal: RefusalToEncode) => string {
  const frames = new Map<string, { before: string; after: string }>();

  return function encodeRefusal({ path, policy, language, refusal }) {
    const name = `${language}:${path}:${refusal.refusedBy.level}`;
    const frame = frames.get(name) ?? createFrame(refusalError(policy, language, refusal), path);
    frames.set(name, frame);
    return frame.before + JSON.stringify(refusalData(refusal)) + frame.after;
  };

  function createFrame(error: TRPCError, path: string): { before: string; after: string } {
    const shape = errorShapeOf(router, { error, path });
    const { data } = shape as { data: { rateLimit?: unknown } };
    const text = JSON.stringify({ error: { ...shape, data: { ...data, rateLimit: PLACEHOLDER } } });
    const [before = '', after = ''] = text.split(JSON.stringify(PLACEHOLDER));
    return { before, after };
  }
}

/** Marks the position of the refusal's data. No other text contains it. */
const PLACEHOLDER = '\u0000rate limit\u0000';
