import type { Server } from 'node:http';
import type { openLimiters } from './open-limiters.mjs';

/**
 * Creates a server with a route for each limiter and kind of callers, and `/bare` without a limiter. Each limiter counts by
 * the header `x-user`, with its default options otherwise. `prefix` begins the keys of the other limiters.
 */
export type OpenApp = (limiters: Awaited<ReturnType<typeof openLimiters>>, prefix: string) => Promise<Server>;
