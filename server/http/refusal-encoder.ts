import { type AnyTRPCRouter, getTRPCErrorShape, type TRPCError } from '@trpc/server';
import { type Refused, type ResolvedPolicy, refusalData, refusalError } from '../limiter';

interface RefusedCall {
  path: string;
  policy: Pick<ResolvedPolicy<never>, 'message'>;
  language: string;
  refusal: Refused;
}

/**
 * Creates a function that encodes tRPC's JSON answer to a refused call. The router's own formatter runs once for each
 * procedure and language. Only the data of the refusal is encoded for each call.
 */
export function createRefusalEncoder(router: AnyTRPCRouter): (call: RefusedCall) => string {
  const frames = new Map<string, { before: string; after: string }>();

  return function encodeRefusal({ path, policy, language, refusal }) {
    const name = `${language}:${path}`;
    const frame = frames.get(name) ?? createFrame(refusalError(policy, language, refusal), path);
    frames.set(name, frame);
    return frame.before + JSON.stringify(refusalData(refusal)) + frame.after;
  };

  function createFrame(error: TRPCError, path: string): { before: string; after: string } {
    const config = router._def._config;
    const shape = getTRPCErrorShape({
      config,
      error,
      type: 'unknown',
      path,
      input: undefined,
      ctx: undefined,
    });
    const { data } = shape as { data: { rateLimit?: unknown } };
    const text = JSON.stringify({ error: { ...shape, data: { ...data, rateLimit: PLACEHOLDER } } });
    const [before = '', after = ''] = text.split(JSON.stringify(PLACEHOLDER));
    return { before, after };
  }
}

/** Marks the position of the refusal's data. No other text contains it. */
const PLACEHOLDER = '\u0000rate limit\u0000';
