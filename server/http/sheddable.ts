import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import {
  declaredPolicy,
  excludedLevels,
  type PolicyCall,
  type ResolvedPolicy,
  resolvePolicy,
} from '../limiter';
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
  /** Names of the levels that have a condition. */
  conditionalLevels: readonly string[];
  /** Returns the indexes of the levels that a call's conditions exclude. */
  findExcludedLevels: (call: PolicyCall<Context>) => readonly number[];
}

/**
 * Returns the procedures of a router that can be shed, by path: those with only `user`, `ip` and `global` levels, and with
 * no middleware before their limits except the sign-in check.
 */
export function listSheddableProcedures(router: AnyTRPCRouter): Map<string, SheddableProcedure> {
  const found = new Map<string, SheddableProcedure>();
  const procedures = Object.entries(router._def.procedures as Record<string, AnyTRPCProcedure>);
  for (const [path, procedure] of procedures) {
    const { type, middlewares = [] } = procedure._def as { type: string; middlewares?: object[] };
    const declared = declaredPolicy(procedure);
    const before = declared ? middlewares.slice(0, declared.index) : undefined;
    const isPublic = isSameList(before, listMiddlewares(publicProcedure));
    const needsUser = isSameList(before, listMiddlewares(userProcedure));
    if (!declared || declared.policy === 'unlimited' || !(isPublic || needsUser)) continue;
    if (type !== 'query' && type !== 'mutation') continue;
    // Every procedure of the router has this context.
    const policy = resolvePolicy(declared.policy, path) as ResolvedPolicy<Context>;
    // A level with its own `by` needs more than the head of a request. The others are global, user and ip.
    if (policy.levels.some(({ by }) => by)) continue;
    found.set(path, {
      ...{ path, type, policy, needsUser },
      levels: policy.levels.map(({ level }) => level),
      conditionalLevels: policy.levels.flatMap(({ level, when }) => (when ? [level] : [])),
      findExcludedLevels: (call) => excludedLevels(policy, call),
    });
  }
  return found;
}

function listMiddlewares(procedure: { _def: object }): readonly object[] {
  const { middlewares = [] } = procedure._def as { middlewares?: object[] };
  return middlewares;
}

function isSameList(one: readonly object[] | undefined, other: readonly object[]): boolean {
  return one?.length === other.length && one.every((entry, index) => entry === other[index]);
}
