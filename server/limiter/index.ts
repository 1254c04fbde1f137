export type { Decision, LevelState, Window } from './decision';
export { rateLimitHeaders } from './headers';
export { createLimiter, type DecisionOutcome, type Limiter } from './limiter';
export { keyedBy, type Policy, type ResolvedPolicy, resolvePolicy } from './policy';
export { StoreUnavailableError, withinStoreTimeout } from './store-timeout';
export { type Caller, InvalidSubjectError, namesCaller } from './subject';
export {
  declaredPolicies,
  type RateLimitContext,
  type RateLimitErrorData,
  rateLimit,
  rateLimitErrorData,
  unlimited,
} from './trpc';
export { PolicyError } from './validate-policy';
