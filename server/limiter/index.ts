export { normalizeAddress, normalizeRange } from './adapters/address';
export { type ClientAddress, createClientAddress, hasEnded, isProxyRange } from './adapters/client-address';
export { rateLimitHeaders } from './adapters/headers';
export type { DecidingLimiter } from './adapters/limited-call';
export { declaredPolicies, ProcedureError, policiesOf, policiesOfProcedure } from './adapters/policies-of';
export { isRequestEnded, onRequestEnd } from './adapters/request-end';
export {
  type ChargeExcluded,
  type RateLimitContext,
  rateLimit,
  rateLimitErrorData,
  refusalError,
  unlimited,
} from './adapters/trpc';
export type { Ban } from './decide/bans';
export type { BreakerState } from './decide/breaker';
export type {
  CountedSubject,
  Decision,
  DecisionOutcome,
  LevelState,
  Punished,
  Refused,
  Window,
} from './decide/decision';
export { holdLease } from './decide/hold-lease';
export { hashTagOf, ownerOf } from './decide/key';
export type { Lease } from './decide/lease';
export { GLOBAL_SUBJECT } from './decide/level-key';
export { type CachedRefusal, createLimiter, type Limiter } from './decide/limiter';
export { LimiterOptionError } from './decide/limiter-options';
export { isPseudonym, maskSubject, pseudonymOf } from './decide/pseudonym';
export { type RateLimitErrorData, refusalData } from './decide/refusal';
export { InvalidRequestIdError, type RequestId, RequestIdConflictError } from './decide/request-id';
export type { ProcedureResult, Reservation } from './decide/settle';
export { byPlan, readPlans } from './policy/by-plan';
export { InvalidCostError } from './policy/cost';
export {
  applyOverride,
  type EffectiveLevel,
  type LevelValues,
  type Override,
  validateOverride,
} from './policy/overrides';
export type { PersonChange, PersonOverride, PersonRule } from './policy/person';
export {
  type Algorithm,
  keyedBy,
  type LevelAlgorithm,
  type Mode,
  type Policy,
  type PolicyCall,
  type ResolvedPolicy,
  resolvePolicy,
} from './policy/policy';
export { shared } from './policy/shared-levels';
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
} from './policy/subject';
export { validateOverrideFields, validatePersonFields } from './policy/validate-overrides';
export { MAX_IN_FLIGHT, MODES, PolicyError } from './policy/validate-policy';
export {
  type Joined,
  type Queue,
  type QueueState,
  type QueueTimers,
  type Ticket,
  TooManyTicketsError,
  type Turn,
  type TurnResult,
} from './queue/queue';
export { createQueues } from './queue/queues';
export { createFunctionLibraries } from './stores/function-libraries';
export {
  StoreUnavailableError,
  storeErrorIn,
  storeErrorKinds,
  withinStoreTimeout,
} from './stores/store-error';
