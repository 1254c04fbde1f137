/**
 * Creates an object whose methods are found by name at any depth: `proxy.coupon.list.query(input)` calls
 * `onCall(['coupon', 'list', 'query'], [input])`.
 *
 * @param T  The type of the object. The caller must state it.
 */
export function createPathProxy<T>(
  onCall: (path: readonly string[], args: unknown[]) => unknown,
  path: readonly string[] = [],
): T {
  const target: object = () => undefined;
  const proxy: unknown = new Proxy(target, {
    // Promises and React read methods of their own, such as `then`, from the root only.
    get: (_, name) =>
      typeof name === 'string' && name !== 'then' ? createPathProxy(onCall, [...path, name]) : undefined,
    apply: (_, __, args: unknown[]) => onCall(path, args),
  });
  return proxy as T;
}
