import type { AnyTRPCRouter } from '@trpc/server';
import type { Policy, ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { createSharedLevelCheck } from '../policy/shared-levels';
import { createReject } from '../policy/validate-policy';
import {
  INPUT_BEFORE_LIMIT,
  listProcedures,
  loadLazyRouters,
  ProcedureError,
  parsesInput,
} from './read-router';

/**
 * Returns the policies of a router's procedures, each once and with its defaults, in the order of the procedures. Call it
 * while the process starts. With `{ lazy: true }`, it first loads each router behind `lazy(() => import(…))`, and rejects if
 * one cannot be loaded.
 *
 * @throws PolicyError if two policies have one name, because they would also share their windows, or if they declare a
 * shared level with different windows.
 * @throws ProcedureError if a procedure declares no limit, parses its input before its limit, has a limit after one in whose
 * queue calls wait, or is behind `lazy` and not loaded.
 */
export function policiesOf(router: AnyTRPCRouter): ResolvedPolicy[];
export function policiesOf(router: AnyTRPCRouter, options: { lazy: true }): Promise<ResolvedPolicy[]>;
export function policiesOf(
  router: AnyTRPCRouter,
  options?: { lazy: true },
): ResolvedPolicy[] | Promise<ResolvedPolicy[]> {
  return options?.lazy ? loadLazyRouters(router).then(() => listPolicies(router)) : listPolicies(router);
}

function listPolicies(router: AnyTRPCRouter): ResolvedPolicy[] {
  const checkSharedLevels = createSharedLevelCheck();
  const found = new Map<string, { policy: object; resolved: ResolvedPolicy }>();
  for (const { path, policies } of listProcedures(router)) {
    if (policies.length === 0)
      throw new ProcedureError(path, 'it declares no limit. Add .use(rateLimit(policy)) or .use(unlimited).');
    for (const [index, { policy, before }] of policies.entries()) {
      if (policy === 'unlimited') continue;
      if (before.some(parsesInput)) throw new ProcedureError(path, INPUT_BEFORE_LIMIT);
      const resolved = resolvePolicy(policy, path);
      const isLast = index === policies.length - 1;
      if (!isLast && resolved.levels.some(({ queue }) => queue?.ticket))
        throw new ProcedureError(path, LIMIT_AFTER_QUEUE);
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

const LIMIT_AFTER_QUEUE =
  'a .use(rateLimit(…)) comes after the one in whose queue calls wait, so it does not count a call that waits. Put the policy with the queue last.';

/** Returns the policies of each procedure of a router, by path; empty without a declaration. */
export function declaredPolicies(router: AnyTRPCRouter): Map<string, (Policy | 'unlimited')[]> {
  return new Map(
    listProcedures(router).map(({ path, policies }) => [path, policies.map(({ policy }) => policy)]),
  );
}
