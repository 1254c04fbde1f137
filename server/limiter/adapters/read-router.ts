import { type AnyTRPCProcedure, type AnyTRPCRouter, getErrorShape, type TRPCError } from '@trpc/server';
import { FloodgateError } from '../floodgate-error';
import type { Policy } from '../policy/policy';

/** A procedure of a router. */
export interface DeclaredProcedure {
  path: string;
  type: 'query' | 'mutation' | 'subscription';
  meta: unknown;
  /** The schemas of `.input()`. */
  inputs: readonly unknown[];
  /** In their order. */
  policies: readonly DeclaredPolicy[];
}

interface DeclaredPolicy {
  policy: Policy | 'unlimited';
  /** The middlewares that run before the limit, also those of `.input()`. */
  before: readonly object[];
}

/**
 * The property of a middleware with its policy, so that the policies of a router can be listed. A global symbol, because
 * `rateLimit` and `policiesOf` may be of two copies of the package.
 */
const POLICY = Symbol.for('floodgate-limiter.policy');

/** Stores the policy that a middleware applies. */
export function declarePolicy(
  { _middlewares }: { _middlewares: readonly object[] },
  policy: Policy | 'unlimited',
): void {
  for (const middleware of _middlewares) Object.defineProperty(middleware, POLICY, { value: policy });
}

/**
 * Returns the procedures of a router with their policies; none for a procedure without a declaration. Only this module reads
 * how tRPC stores a router. Throws a `ProcedureError` for a router behind `lazy` that is not loaded.
 */
export function listProcedures({ _def }: AnyTRPCRouter): DeclaredProcedure[] {
  const [lazyPath] = Object.keys(_def.lazy ?? {});
  if (lazyPath !== undefined) {
    const problem = 'it is behind lazy(() => import(…)) and not loaded, so its limit is unknown.';
    throw new ProcedureError(`${lazyPath}.*`, `${problem} Use await policiesOf(router, { lazy: true }).`);
  }
  return Object.entries(_def.procedures as Record<string, AnyTRPCProcedure>).map(([path, procedure]) => {
    const { type, meta, inputs = [] } = procedure._def as AnyTRPCProcedure['_def'] & { inputs?: unknown[] };
    const middlewares = middlewaresOf(procedure);
    const policies = middlewares.flatMap((middleware, index) => {
      const { [POLICY]: policy } = middleware as { [POLICY]?: Policy | 'unlimited' };
      return policy === undefined ? [] : [{ policy, before: middlewares.slice(0, index) }];
    });
    return { path, type, meta, inputs, policies };
  });
}

/** Returns the middlewares of a procedure, or of a base such as `publicProcedure`, in their order. */
export function middlewaresOf({ _def }: { _def: object }): readonly object[] {
  const { middlewares = [] } = _def as { middlewares?: readonly object[] };
  return middlewares;
}

/** Returns true for the middleware that `.input()` adds: tRPC marks it. */
export function parsesInput(middleware: object): boolean {
  return '_type' in middleware && middleware._type === 'input';
}

/** Loads all lazy routers of a router, also those inside another. */
export async function loadLazyRouters({ _def: { lazy = {} } }: AnyTRPCRouter): Promise<void> {
  // `load` removes its router from `lazy`, and adds those inside it.
  for (let [inner] = Object.values(lazy); inner; [inner] = Object.values(lazy)) await inner.load();
}

/** Returns the body of tRPC's answer with an error, as the router formats it. */
export function errorShapeOf({ _def }: AnyTRPCRouter, { error, path }: { error: TRPCError; path?: string }) {
  const config = _def._config;
  // Its later name, `getTRPCErrorShape`, is not exported by the first versions of tRPC 11.
  return getErrorShape({ config, error, type: 'unknown', path, input: undefined, ctx: undefined });
}

/**
 * A procedure with its middlewares in a wrong order, without a limit, or not loaded. `policiesOf` throws it at the start.
 * `rateLimit` throws it with each call of a procedure that `policiesOf` has not checked.
 */
export class ProcedureError extends FloodgateError {
  static override readonly code = 'INVALID_PROCEDURE';
  constructor(path: string, problem: string) {
    super(`Procedure "${path}": ${problem}`);
    this.name = 'ProcedureError';
  }
}

/** The problem of a procedure whose `.input()` is before its limit: calls that answer 400 would not be charged. */
export const INPUT_BEFORE_LIMIT =
  '.input() comes before .use(rateLimit(…)), so calls with a wrong input are not charged. Put .use(rateLimit(…)) first.';
