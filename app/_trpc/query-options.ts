import type { TRPCOptionsProxy } from '@trpc/tanstack-react-query';
import type { AppRouter } from '../../server/router';
import { createPathProxy } from './path-proxy';

/** Calls a method of the client by its path, such as `['coupon', 'list', 'query']`. */
export type CallByPath = (path: readonly string[], args: unknown[]) => Promise<unknown>;

interface Options {
  trpc?: { abortOnUnmount?: boolean };
  initialCursor?: unknown;
}

interface QueryContext {
  signal: AbortSignal;
  pageParam?: unknown;
  direction?: unknown;
}

interface MutationContext {
  /** Names the user of the call. */
  meta: Record<string, unknown> | undefined;
}

/**
 * Creates the options of queries and mutations by procedure, with the keys of `@trpc/tanstack-react-query`. That package
 * needs the query cache at once, but the cache loads after the page.
 */
export function createQueryOptions(call: CallByPath): TRPCOptionsProxy<AppRouter> {
  return createPathProxy<TRPCOptionsProxy<AppRouter>>((path, [first, second]) => {
    const procedure = path.slice(0, -1);
    switch (path.at(-1)) {
      case 'queryOptions':
        return queryOptions(call, { procedure, input: first, options: { ...Object(second) } });
      case 'infiniteQueryOptions':
        return infiniteQueryOptions(call, { procedure, input: first, options: { ...Object(second) } });
      case 'mutationOptions':
        return {
          ...Object(first),
          mutationKey: [procedure],
          mutationFn: (input: unknown, { meta }: MutationContext) =>
            call([...procedure, 'mutate'], [input, { context: { ...meta } }]),
        };
      case 'queryKey':
        return queryKey(procedure, { input: first, type: 'query' });
      case 'queryFilter':
        return { ...Object(second), queryKey: queryKey(procedure, { input: first, type: 'query' }) };
      case 'pathFilter':
        return { ...Object(first), queryKey: [procedure] };
      default:
        throw new Error(`The options of procedures have no method ${path.at(-1)}.`);
    }
  });
}

interface Query {
  procedure: string[];
  input: unknown;
  options: Options;
}

function queryOptions(call: CallByPath, { procedure, input, options }: Query) {
  return {
    ...options,
    queryKey: queryKey(procedure, { input, type: 'query' }),
    queryFn: ({ signal }: QueryContext) =>
      call([...procedure, 'query'], [input, callOptions(options, signal)]),
  };
}

function infiniteQueryOptions(call: CallByPath, { procedure, input, options }: Query) {
  return {
    ...options,
    queryKey: queryKey(procedure, { input, type: 'infinite' }),
    queryFn: ({ signal, pageParam, direction }: QueryContext) =>
      call(
        [...procedure, 'query'],
        [
          { ...Object(input), ...(pageParam !== undefined && { cursor: pageParam }), direction },
          callOptions(options, signal),
        ],
      ),
    initialPageParam: options.initialCursor,
  };
}

/** Passes the signal of a query on, so that an unused call is cancelled, if the options request it. */
function callOptions({ trpc }: Options, signal: AbortSignal) {
  return { signal: trpc?.abortOnUnmount ? signal : null };
}

function queryKey(procedure: string[], { input, type }: { input: unknown; type: 'query' | 'infinite' }) {
  return [procedure, { ...(input !== undefined && { input }), type }];
}
