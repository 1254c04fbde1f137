import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { FloodgateError } from '../floodgate-error';
import type { Policy, ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { createSharedLevelCheck } from '../policy/shared-levels';
import { createReject } from '../policy/validate-policy';

/**
 * Returns the policies of a router's procedures, each once and with its defaults, in the order of the procedures. Call it
 * while the process starts. With `{ lazy: true }`, it first loads each router behind `lazy(() => import(…))`, and rejects if
 * one cannot be loaded.
 *
 * @throws PolicyError if two policies have one name, because they would also share their windows, or if they declare a
 * shared level with different windows.
 * @throws ProcedureError if a procedure declares no limit, parses its input before its limit, or is behind `lazy`
 * and not loaded.
 */
export function policiesOf(router: AnyTRPCRouter): ResolvedPolicy[];
export function policiesOf(router: AnyTRPCRouter, options: { lazy: true }): Promise<ResolvedPolicy[]>;
export function policiesOf(
  router: AnyTRPCRouter,
  options?: { lazy: true },
): ResolvedPolicy[] | Promise<ResolvedPolicy[]> {
  return options?.lazy ? loadLazyRouters(router).then(() => listPolicies(router)) : listPolicies(router);
}

/** Loads all lazy routers of a router, also those inside another. */
async function loadLazyRouters({ _def: { lazy = {} } }: AnyTRPCRouter): Promise<void> {
  // `load` removes its router from `lazy`, and adds those inside it.
  for (let [inner] = Object.values(lazy); inner; [inner] = Object.values(lazy)) await inner.load();
}

function listPolicies(router: AnyTRPCRouter): ResolvedPolicy[] {
  const checkSharedLevels = createSharedLevelCheck();
  const found = new Map<string, { policy: object; resolved: ResolvedPolicy }>();
  for (const [path, procedure] of proceduresOf(router)) {
    const declared = policiesOfProcedure(procedure);
    if (declared.length === 0) {
      throw new ProcedureError(path, 'it declares no limit. Add .use(rateLimit(policy)) or .use(unlimited).');
    }
    for (const { policy, index } of declared) {
      if (policy === 'unlimited') continue;
      if (middlewaresOf(procedure).slice(0, index).some(parsesInput)) throw inputBeforeLimit(path);
      const resolved = resolvePolicy(policy, path);
      const namesake = found.get(resolved.name);
      if (namesake && namesake.policy !== policy) {
        const fix = `"${path}" and another .use(rateLimit(…)) declare policies of this name that differ. Rename one, or let both declare one policy.`;
        createReject(resolved.name)('name', resolved.name, fix);
      }
      if (namesake) continue;
      checkSharedLevels(resolved);
      found.set(resolved.name, { policy, resolved });
    }
  }
  return [...found.values()].map(({ resolved }) => resolved);
}

/** The policy of each middleware, so that the policies of a router can be listed. */
const policyOfMiddleware = new WeakMap<object, Policy | 'unlimited'>();

/** Stores the policy that a middleware applies. */
export function declarePolicy(
  { _middlewares }: { _middlewares: readonly object[] },
  policy: Policy | 'unlimited',
): void {
  for (const middleware of _middlewares) policyOfMiddleware.set(middleware, policy);
}

/** Returns the policies of each procedure of a router, by path; empty without a declaration. */
export function declaredPolicies(router: AnyTRPCRouter): Map<string, (Policy | 'unlimited')[]> {
  return new Map(
    proceduresOf(router).map(([path, procedure]) => [
      path,
      policiesOfProcedure(procedure).map(({ policy }) => policy),
    ]),
  );
}

/** Returns the policies of a procedure in their order, each with the index of its middleware. */
export function policiesOfProcedure(
  procedure: AnyTRPCProcedure,
): { policy: Policy | 'unlimited'; index: number }[] {
  return middlewaresOf(procedure).flatMap((middleware, index) => {
    const policy = policyOfMiddleware.get(middleware);
    return policy === undefined ? [] : [{ policy, index }];
  });
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

/** Creates the error for `.input()` before the limit: calls that answer 400 would not be charged. */
export function inputBeforeLimit(path: string): ProcedureError {
  return new ProcedureError(
    path,
    '.input() comes before .use(rateLimit(…)), so calls with a wrong input are not charged. Put .use(rateLimit(…)) first.',
  );
}

function proceduresOf(router: AnyTRPCRouter): [path: string, procedure: AnyTRPCProcedure][] {
  const [lazyPath] = Object.keys(router._def.lazy ?? {});
  if (lazyPath !== undefined) {
    const problem = 'it is behind lazy(() => import(…)) and not loaded, so its limit is unknown.';
    throw new ProcedureError(`${lazyPath}.*`, `${problem} Use await policiesOf(router, { lazy: true }).`);
  }
  return Object.entries(router._def.procedures as Record<string, AnyTRPCProcedure>);
}

function middlewaresOf(procedure: AnyTRPCProcedure): readonly object[] {
  const { middlewares = [] } = procedure._def as { middlewares?: object[] };
  return middlewares;
}

/** tRPC marks the middleware that `.input()` adds. */
function parsesInput(middleware: object): boolean {
  return '_type' in middleware && middleware._type === 'input';
}
