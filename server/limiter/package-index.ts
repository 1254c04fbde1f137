/** The entry point `.` of the npm package: the limiter by name. The entry points are the only barrels besides that of the limiter. */

export { normalizeAddress } from './adapters/address';
export { type ClientAddress, createClientAddress, UnknownAddressError } from './adapters/client-address';
export { rateLimitHeaders } from './adapters/headers';
export type { Ban } from './decide/bans';
export type { Admitted, Decision, DecisionOutcome, LevelState, Refused, Window } from './decide/decision';
export { holdLease } from './decide/hold-lease';
export type { Lease } from './decide/lease';
export { LimiterOptionError } from './decide/limiter-options';
export {
  type CallOf,
  type CallOptions,
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type NamedBans,
  type NamedDecision,
} from './decide/named-limiter';
export { type RateLimitErrorData, refusalData } from './decide/refusal';
export { InvalidRequestIdError, type RequestId, RequestIdConflictError } from './decide/request-id';
export { FloodgateError, type FloodgateErrorCode, isFloodgateError } from './floodgate-error';
export { byPlan } from './policy/by-plan';
export { InvalidCostError } from './policy/cost';
export {
  definePolicy,
  type NamedLevel,
  type NamedPolicy,
  type ReadablePolicy,
  type SubjectsOf,
  shared,
} from './policy/named-policy';
export type { Override } from './policy/overrides';
export type { PersonOverride, PersonRule } from './policy/person';
export { keyedBy, type Policy } from './policy/policy';
export { InvalidSubjectError, MissingSubjectError, type Subject, SubjectError } from './policy/subject';
export { PolicyError } from './policy/validate-policy';
export { ScriptError } from './stores/lua-scripts';
export type { Store, StoreScript } from './stores/store';
export { StoreUnavailableError } from './stores/store-error';
