import { createHmac } from 'node:crypto';
import type { ResolvedPolicy } from './policy';

/** Makes the store's keys of a policy. Two different subjects never share one. */
export interface KeyMaker {
  /** The key of a level for a subject; `subjects` are those of all levels, in order. */
  level(place: number): string;
  /** The key that remembers a charged request id. */
  request(identity: string): string;
}

/**
 * Keys of one call. All of them carry one hash tag, since one script decides over them: the policy's name, and where
 * the policy has a single level also the subject, which spreads such policies over the slots of a cluster.
 *
 * A subject may be an address or an e-mail, so keys hold its HMAC-SHA256 (128 bits of it), never the subject.
 */
export function keysOf<Context>(
  policy: ResolvedPolicy<Context>,
  subjects: readonly string[],
  { prefix, secret }: { prefix: string; secret: string },
): KeyMaker {
  const masked = subjects.map((subject, place) =>
    policy.levels[place]?.level === 'global' ? 'all' : pseudonym(subject, secret),
  );
  const tag = policy.levels.length === 1 ? `${policy.name}:${masked[0]}` : policy.name;
  return {
    level: (place) => `${prefix}{${tag}}:${policy.levels[place]?.level}:${masked[place]}`,
    request: (identity) => `${prefix}{${tag}}:request:${pseudonym(identity, secret)}`,
  };
}

/**
 * A stable name for something personal, which the name does not give away without the secret.
 * JSON keeps strings apart that UTF-8 would merge (lone surrogates).
 */
export function pseudonym(subject: string, secret: string): string {
  return createHmac('sha256', secret).update(JSON.stringify(subject)).digest('base64url').slice(0, 22);
}
