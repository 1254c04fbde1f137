import { type AnyTRPCRouter, getTRPCErrorShape, type TRPCError } from '@trpc/server';
import { type Refused, type ResolvedPolicy, refusalData, refusalError } from '../limiter';

interface RefusedCall {
  path: string;
  policy: Pick<ResolvedPolicy<never>, 'message'>;
  language: string;
  refusal: Refused;
}

/**
 * What tRPC answers to a refused call, as JSON. The router's own formatter makes it once per procedure and language;
 * only the data of the refusal is new each time.
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

/** Stands where the data of a refusal belongs; no text of ours contains it. */
const PLACEHOLDER = '\u0000rate limit\u0000';
