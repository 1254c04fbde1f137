import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { type ResolvedPolicy, resolvePolicy } from './policy';
import { inputBeforeLimit, ProcedureError } from './procedure-error';
import { declaredPolicy } from './trpc';
import { createReject } from './validate-policy';

/**
 * Returns the policies of a router's procedures, each once and with its defaults, in the order of the procedures. Call it
 * while the process starts.
 *
 * @throws PolicyError if two policies have one name, because they would also share their windows.
 * @throws ProcedureError if a procedure declares no limit, or parses its input before its limit.
 */
export function policiesOf(router: AnyTRPCRouter): ResolvedPolicy<never>[] {
  const found = new Map<string, { policy: object; resolved: ResolvedPolicy<never> }>();
  for (const [path, procedure] of Object.entries(
    router._def.procedures as Record<string, AnyTRPCProcedure>,
  )) {
    const declared = declaredPolicy(procedure);
    if (declared === undefined) {
      throw new ProcedureError(path, 'it declares no limit. Add .use(rateLimit(policy)) or .use(unlimited).');
    }
    const { policy, index } = declared;
    if (policy === 'unlimited') continue;
    if (middlewaresOf(procedure).slice(0, index).some(parsesInput)) throw inputBeforeLimit(path);
    const resolved = resolvePolicy(policy, path);
    const namesake = found.get(resolved.name);
    if (namesake && namesake.policy !== policy) {
      const fix = `"${path}" and another procedure declare policies of this name that differ. Rename one, or let both declare one policy.`;
      createReject(resolved.name)('name', resolved.name, fix);
    }
    if (!namesake) found.set(resolved.name, { policy, resolved });
  }
  return [...found.values()].map(({ resolved }) => resolved);
}

function middlewaresOf(procedure: AnyTRPCProcedure): readonly object[] {
  const { middlewares = [] } = procedure._def as { middlewares?: object[] };
  return middlewares;
}

/** tRPC marks the middleware that `.input()` adds. */
function parsesInput(middleware: object): boolean {
  return '_type' in middleware && middleware._type === 'input';
}
