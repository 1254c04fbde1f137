import { collectFacts, type Facts } from './facts';
import { type Finding, type FindOptions, findLimiter } from './find';
import { createSession, type SeenCall, type SessionOptions, type Target } from './session';

/** The result of an examination. */
export interface Examination {
  finding: Finding;
  facts: Facts;
  calls: SeenCall[];
}

/** Finds out which limiter answers, and how far it is from its limit. */
export async function examine(target: Target, options: SessionOptions & FindOptions): Promise<Examination> {
  const session = createSession(target, options);
  const finding = await findLimiter(session, options);
  const facts = await collectFacts(session, finding);
  return { finding, facts, calls: session.calls };
}
