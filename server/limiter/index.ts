export { normalizeAddress, normalizeRange } from './address';
export type { Ban } from './bans';
export type { BreakerState } from './breaker';
export { byPlan, readPlans } from './by-plan';
export { type ClientAddress, createClientAddress, hasEnded, isProxyRange } from './client-address';
export { InvalidCostError } from './cost';
export type {
  CountedSubject,
  Decision,
  DecisionOutcome,
  LevelState,
  Punished,
  Refused,
  Window,
} from './decision';
export { createFunctionLibraries } from './function-libraries';
export { rateLimitHeaders } from './headers';
export { holdLease } from './hold-lease';
export { hashTagOf, ownerOf } from './key';
export type { Lease } from './lease';
export { GLOBAL_SUBJECT } from './level-key';
export type { DecidingLimiter } from './limited-call';
export { type CachedRefusal, createLimiter, type Limiter } from './limiter';
export { LimiterOptionError } from './limiter-options';
export {
  applyOverride,
  type EffectiveLevel,
  type LevelValues,
  type Override,
  validateOverride,
} from './overrides';
export type { PersonChange, PersonOverride, PersonRule } from './person';
export { declaredPolicies, ProcedureError, policiesOf, policiesOfProcedure } from './policies-of';
export {
  type Algorithm,
  keyedBy,
  type LevelAlgorithm,
  type Mode,
  type Policy,
  type PolicyCall,
  type ResolvedPolicy,
  resolvePolicy,
} from './policy';
export { isPseudonym, maskSubject, pseudonymOf } from './pseudonym';
export {
  type Joined,
  type Queue,
  type QueueState,
  type QueueTimers,
  type Ticket,
  TooManyTicketsError,
  type Turn,
  type TurnResult,
} from './queue';
export { createQueues } from './queues';
export { type RateLimitErrorData, refusalData } from './refusal';
export { isRequestEnded, onRequestEnd } from './request-end';
export { InvalidRequestIdError, type RequestId, RequestIdConflictError } from './request-id';
export type { ProcedureResult, Reservation } from './settle';
export { shared } from './shared-levels';
export { StoreUnavailableError, storeErrorIn, storeErrorKinds, withinStoreTimeout } from './store-error';
export {
  type Caller,
  EXCLUDED,
  excludedLevels,
  InvalidSubjectError,
  isKeyedByCaller,
  isMissing,
  requestedTicket,
  type Subjects,
  viewedSubjectsOf,
} from './subject';
export {
  type ChargeExcluded,
  type RateLimitContext,
  rateLimit,
  rateLimitErrorData,
  refusalError,
  unlimited,
} from './trpc';
export { validateOverrideFields, validatePersonFields } from './validate-overrides';
export { MAX_IN_FLIGHT, MODES, PolicyError } from './validate-policy';
