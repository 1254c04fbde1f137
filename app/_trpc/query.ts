import type {
  DefinedInitialDataInfiniteOptions,
  DefinedInitialDataOptions,
  QueryClient,
  QueryKey,
  QueryObserverOptions,
  UndefinedInitialDataInfiniteOptions,
  UndefinedInitialDataOptions,
  Updater,
} from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Api, QueryKind } from './api';
import { useApi, useLoadedApi } from './client';

/** The state of a query. */
interface QueryState<Data, Failure> {
  data: Data;
  error: Failure | null;
  /** There is neither data nor an error yet. */
  isPending: boolean;
  isError: boolean;
  /** A call is running. */
  isFetching: boolean;
  /** The data is that of an earlier query, kept by `placeholderData`. */
  isPlaceholderData: boolean;
  refetch(): Promise<unknown>;
}

/** The state of a query of several pages. */
interface PagesState<Data, Failure> extends QueryState<Data, Failure> {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/**
 * `useQuery` of React Query, whose code loads after the page. Until then the query has its initial data, or is pending.
 */
export function useQuery<Reply, Failure, Data, Key extends QueryKey>(
  options: DefinedInitialDataOptions<Reply, Failure, Data, Key>,
): QueryState<Data, Failure>;
export function useQuery<Reply = unknown, Failure = Error, Data = Reply, Key extends QueryKey = QueryKey>(
  options: UndefinedInitialDataOptions<Reply, Failure, Data, Key>,
): QueryState<Data | undefined, Failure>;
export function useQuery(options: { queryKey: QueryKey }): QueryState<unknown, unknown> {
  return useObserved(options, 'query');
}

/** `useInfiniteQuery` of React Query, as `useQuery`. */
export function useInfiniteQuery<Page, Failure, Data, Key extends QueryKey, Cursor>(
  options: DefinedInitialDataInfiniteOptions<Page, Failure, Data, Key, Cursor>,
): PagesState<Data, Failure>;
export function useInfiniteQuery<Page, Failure, Data, Key extends QueryKey, Cursor>(
  options: UndefinedInitialDataInfiniteOptions<Page, Failure, Data, Key, Cursor>,
): PagesState<Data | undefined, Failure>;
export function useInfiniteQuery(options: { queryKey: QueryKey }): PagesState<unknown, unknown> {
  return useObserved(options, 'infinite');
}

const nothing = () => undefined;
const never = () => nothing;

/** Observes a query like React Query's `useBaseQuery`, once its code has loaded. */
function useObserved(options: QueryObserverOptions, kind: QueryKind): PagesState<unknown, unknown> {
  const lazy = useApi();
  const loaded = useLoadedApi();
  // A part that hydrates after the code has loaded must first render what the server rendered.
  const api = useSyncExternalStore(never, () => loaded, nothing);
  // Later options reach the observer below.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const observer = useMemo(() => api?.observe(kind, options), [api]);

  useSyncExternalStore(
    useCallback((onChange) => observer?.subscribe(onChange) ?? nothing, [observer]),
    () => observer?.current(),
    nothing,
  );
  useEffect(() => observer?.setOptions(options));

  if (observer) return observer.read(options);
  const refetch = async () => (await lazy.load()).queryClient.refetchQueries({ queryKey: options.queryKey });
  return { ...stateBeforeLoad(options), refetch, fetchNextPage: refetch };
}

/** The options of a query of several pages, as far as its first state needs them. */
interface PageOptions {
  getNextPageParam?(page: unknown, pages: unknown[]): unknown;
}

function stateBeforeLoad({ initialData, enabled, ...rest }: QueryObserverOptions & PageOptions) {
  const data: unknown = typeof initialData === 'function' ? initialData() : initialData;
  const isPending = data === undefined;
  return {
    data,
    error: null,
    isPending,
    isError: false,
    isFetching: isPending && enabled !== false,
    isPlaceholderData: false,
    hasNextPage: hasPages(data) && rest.getNextPageParam?.(data.pages.at(-1), data.pages) != null,
    isFetchingNextPage: false,
  };
}

function hasPages(data: unknown): data is { pages: unknown[] } {
  return typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages);
}

interface Cache
  extends Pick<
    QueryClient,
    'cancelQueries' | 'fetchQuery' | 'getQueryData' | 'invalidateQueries' | 'resetQueries'
  > {
  setQueryData<Data>(key: QueryKey, update: Updater<Data | undefined, Data | undefined>): void;
}

/** The query cache. Changes before its code has loaded are applied then. */
export function useQueryClient(): Cache {
  const lazy = useApi();
  return useMemo((): Cache => {
    return {
      cancelQueries: async (...args) => (await lazy.load()).queryClient.cancelQueries(...args),
      fetchQuery: async (options) => (await lazy.load()).queryClient.fetchQuery(options),
      getQueryData: (key) => lazy.current()?.queryClient.getQueryData(key),
      invalidateQueries: async (...args) => (await lazy.load()).queryClient.invalidateQueries(...args),
      resetQueries: async (...args) => (await lazy.load()).queryClient.resetQueries(...args),
      setQueryData(key, update) {
        const setData = ({ queryClient }: Api) => queryClient.setQueryData(key, update);
        const api = lazy.current();
        if (api) setData(api);
        else void lazy.load().then(setData);
      },
    };
  }, [lazy]);
}
