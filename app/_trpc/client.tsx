'use client';

import type { TRPCClient } from '@trpc/client';
import type { TRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
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

/**
 * Provides the tRPC client and the query cache. Their code, 20 kB, loads after the page: the page is interactive before,
 * and calls wait for it.
 */
export function ApiProvider({ children }: { children: ReactNode }) {
  const [api] = useState(createLazyApi);
  useEffect(() => {
    // A failure is repeated by the first call.
    api.lazy.load().catch(() => undefined);
  }, [api]);
  return <ApiContext value={api}>{children}</ApiContext>;
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
