/** The entry point `.` of the package `floodgate-limiter`. The product imports the limiter by the entry points, too. */

export {
  type ClientAddress,
  createClientAddress,
  hasEnded,
  isProxyRange,
  UnknownAddressError,
} from './adapters/client-address';
export { rateLimitHeaders } from './adapters/headers';
export { isRequestEnded, onRequestEnd } from './adapters/request-end';
export type { Ban, Bans } from './decide/bans';
export type { BreakerState } from './decide/breaker';
export type { CachedRefusal, DecideOptions } from './decide/decide';
export type {
  Admitted,
  CountedSubject,
  Decision,
  DecisionOutcome,
  DecisionSource,
  LevelState,
  Punished,
  Refused,
  Window,
} from './decide/decision';
export { holdLease, type Lease } from './decide/lease';
export type { LeasedUnits } from './decide/leased-levels';
export type { DecisionObserver } from './decide/observers';
export { type RateLimitErrorData, refusalData } from './decide/refusal';
export { InvalidRequestIdError, RequestIdConflictError } from './decide/request-id';
export type { Reservation } from './decide/settle';
export { FloodgateError, type FloodgateErrorCode, isFloodgateError } from './floodgate-error';
export { type CallOf, type CallOptions, createLimiter, type Limiter } from './limiter';
export type { LimiterOptions } from './limiter-options';
export { LimiterOptionError } from './options';
export { normalizeAddress, normalizeRange } from './policy/address';
export { byPlan, readPlans } from './policy/by-plan';
export { InvalidCostError } from './policy/cost';
export {
  definePolicy,
  type NamedLevel,
  type NamedPolicy,
  type ReadablePolicy,
  type SubjectsOf,
} from './policy/named-policy';
export {
  applyOverride,
  type EffectiveLevel,
  type LevelValues,
  type Override,
  type PersonChange,
  type PersonOverride,
  type PersonRule,
  validateOverride,
} from './policy/overrides';
export {
  type Algorithm,
  keyedBy,
  type LevelAlgorithm,
  type Mode,
  type Policy,
  type PolicyCall,
  type ProcedureResult,
  type RequestId,
  type ResolvedPolicy,
  type Subject,
} from './policy/policy';
export { GLOBAL_SUBJECT, isPseudonym, maskSubject, pseudonymOf } from './policy/pseudonym';
export { resolvePolicy } from './policy/resolve-policy';
export { ownerOf, shared } from './policy/shared-levels';
export {
  type Caller,
  EXCLUDED,
  excludedLevels,
  InvalidSubjectError,
  isKeyedByCaller,
  isMissing,
  MissingSubjectError,
  requestedTicket,
  SubjectError,
  type Subjects,
  viewedSubjectsOf,
} from './policy/subject';
export { validateOverrideFields, validatePersonFields } from './policy/validate-overrides';
export { MAX_IN_FLIGHT, MODES, PolicyError } from './policy/validate-policy';
export { hashTagOf, type Store } from './stores/store';
export { ScriptError, StoreUnavailableError, storeErrorIn, storeErrorKinds } from './stores/store-error';
export { withinStoreTimeout } from './stores/store-timeout';
export type { StartedCall } from './wait/schedule';
export { type WaitOptions, WaitTooLongError } from './wait/wait-options';
