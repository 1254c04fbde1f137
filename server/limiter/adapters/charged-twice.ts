/** A charge of a request by a middleware. */
interface Charge {
  limiter: { warn: (message: string) => void };
  policy: string;
  /** The line that created the middleware, from `lineOfCaller`. */
  line: string;
}

/** A property of a request: a `WeakMap` would take a third of a refusal from memory. */
const charges = Symbol.for('floodgate-limiter.charges');
const warned = new Set<string>();

/**
 * Records that a middleware is about to charge a request. Warns once if another use of a middleware has charged the same
 * policy for this request, because each call then counts twice. `request` is an object that only this request has.
 */
export function recordCharge(request: object, charge: Charge): void {
  const { [charges]: before } = request as { [charges]?: Charge[] };
  if (!before) {
    // Does not throw for a frozen object.
    Reflect.set(request, charges, [charge]);
    return;
  }
  const { limiter, policy, line } = charge;
  const first = before.find((one) => one.policy === policy && one.limiter === limiter);
  before.push(charge);
  if (!first) return;
  const lines = first.line === line ? `${line}, which is used twice` : `${first.line} and ${line}`;
  const message = `Policy "${policy}" charges each request twice, by the rateLimit(…) of ${lines}. Remove one of them, or give them policies with different names.`;
  if (warned.has(message)) return;
  warned.add(message);
  limiter.warn(message);
}

/** Returns the line that called `callee`, as the stack has it. */
export function lineOfCaller(callee: (...args: never[]) => unknown): string {
  const trace: { stack?: string } = {};
  Error.captureStackTrace?.(trace, callee);
  return trace.stack?.split('\n')[1]?.trim().replace(/^at /, '') ?? 'an unknown line';
}
