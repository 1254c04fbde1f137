'use client';

import type { TRPCClient } from '@trpc/client';
import type { TRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { createContext, type ReactNode, startTransition, use, useEffect, useState } from 'react';
import type { AppRouter } from '../../server/router';
import type { Api } from './api';
import { createLazy, type Lazy } from './lazy';
import { createPathProxy } from './path-proxy';
import { type CallByPath, createQueryOptions } from './query-options';

/** The `context` of a call that receives the response headers, also of a refusal. */
export interface HeadersContext extends Record<string, unknown> {
  onHeaders(headers: Headers): void;
}

interface LazyApi {
  lazy: Lazy<Api>;
  client: TRPCClient<AppRouter>;
  options: TRPCOptionsProxy<AppRouter>;
}

const ApiContext = createContext<LazyApi | undefined>(undefined);
const LoadedApiContext = createContext<Api | undefined>(undefined);

/**
 * Provides the tRPC client and the query cache. Their code, 20 kB, loads after the page: the page is interactive before,
 * and calls wait for it.
 */
export function ApiProvider({ children }: { children: ReactNode }) {
  const [api] = useState(createLazyApi);
  const [loaded, setLoaded] = useState<Api>();
  useEffect(() => {
    // Its readers render in slices, because they are many: a press in between does not wait for all of them.
    const leave = api.lazy.subscribe(() => startTransition(() => setLoaded(api.lazy.current())));
    // In a task of its own. A failure is repeated by the first call.
    setTimeout(() => api.lazy.load().catch(() => undefined));
    return leave;
  }, [api]);
  return (
    <ApiContext value={api}>
      <LoadedApiContext value={loaded}>{children}</LoadedApiContext>
    </ApiContext>
  );
}

/** Returns the client. Its calls wait until its code has loaded. */
export function useTRPCClient(): TRPCClient<AppRouter> {
  return useLazyApi().client;
}

/** Returns the options of queries and mutations by procedure, for the hooks of `query.ts` and `use-mutation.ts`. */
export function useTRPC(): TRPCOptionsProxy<AppRouter> {
  return useLazyApi().options;
}

/** Returns the code that loads after the page. */
export function useApi(): Lazy<Api> {
  return useLazyApi().lazy;
}

/** Returns the client and the cache once their code has loaded. */
export function useLoadedApi(): Api | undefined {
  return use(LoadedApiContext);
}

function useLazyApi(): LazyApi {
  const api = use(ApiContext);
  if (!api) throw new Error('Calls need the ApiProvider of the layout.');
  return api;
}

function createLazyApi(): LazyApi {
  const lazy = createLazy(async () => (await import('./api')).createApi());
  const call: CallByPath = async (path, args) => callMethod((await lazy.load()).client, path, args);
  return { lazy, client: createPathProxy(call), options: createQueryOptions(call) };
}

/** Calls a method of a nested object, such as `coupon.list.query`. */
function callMethod(target: unknown, path: readonly string[], args: unknown[]): unknown {
  const method = path.reduce<unknown>((value, name) => Reflect.get(Object(value), name), target);
  if (typeof method !== 'function') throw new TypeError(`The client has no method ${path.join('.')}.`);
  return method(...args);
}
