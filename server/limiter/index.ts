export type { Ban } from './bans';
export type { BreakerState } from './breaker';
export { excludedLevels } from './condition';
export type { Decision, LevelState, Punished, Refused, Window } from './decision';
export { createFunctionLibraries } from './function-libraries';
export { rateLimitHeaders } from './headers';
export { GLOBAL_SUBJECT } from './level-key';
export { type CachedRefusal, createLimiter, type Limiter } from './limiter';
export { maskSubject } from './mask';
export type { CountedSubject, DecisionOutcome } from './outcome';
export { type EffectiveLevel, type Override, validateOverride } from './overrides';
export { policiesOf } from './policies-of';
export {
  type Algorithm,
  keyedBy,
  type Mode,
  type Policy,
  type PolicyCall,
  type ResolvedPolicy,
  resolvePolicy,
} from './policy';
export { ProcedureError } from './procedure-error';
export { type RequestId, RequestIdConflictError } from './request-id';
export { StoreUnavailableError, storeErrorIn, storeErrorKinds } from './store-error';
export { withinStoreTimeout } from './store-timeout';
export { type Caller, InvalidSubjectError, isKeyedByCaller, viewedSubjectsOf } from './subject';
export {
  type ChargeExcluded,
  type DecidingLimiter,
  declaredPolicies,
  declaredPolicy,
  type RateLimitContext,
  type RateLimitErrorData,
  rateLimit,
  rateLimitErrorData,
  refusalData,
  refusalError,
  unlimited,
} from './trpc';
export { PolicyError } from './validate-policy';
