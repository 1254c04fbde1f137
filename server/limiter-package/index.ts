/** The entry point `.` of the npm package: the limiter by name. The entry points are the only barrels besides that of the limiter. */
export { FloodgateError, type FloodgateErrorCode, isFloodgateError } from '../floodgate-error';
export { normalizeAddress } from '../limiter/address';
export type { Ban } from '../limiter/bans';
export { byPlan } from '../limiter/by-plan';
export { type ClientAddress, createClientAddress, UnknownAddressError } from '../limiter/client-address';
export { InvalidCostError } from '../limiter/cost';
export type { Admitted, Decision, DecisionOutcome, LevelState, Refused, Window } from '../limiter/decision';
export { rateLimitHeaders } from '../limiter/headers';
export { holdLease } from '../limiter/hold-lease';
export type { Lease } from '../limiter/lease';
export { LimiterOptionError } from '../limiter/limiter-options';
export type { Override } from '../limiter/overrides';
export type { PersonOverride, PersonRule } from '../limiter/person';
export { keyedBy, type Policy } from '../limiter/policy';
export { type RateLimitErrorData, refusalData } from '../limiter/refusal';
export { InvalidRequestIdError, type RequestId, RequestIdConflictError } from '../limiter/request-id';
export type { Store, StoreScript } from '../limiter/store';
export { StoreUnavailableError } from '../limiter/store-error';
export { InvalidSubjectError, MissingSubjectError, type Subject, SubjectError } from '../limiter/subject';
export { PolicyError } from '../limiter/validate-policy';
export { ScriptError } from '../lua-scripts';
export {
  type CallOf,
  type CallOptions,
  createLimiter,
  type Limiter,
  type LimiterOptions,
  type NamedBans,
  type NamedDecision,
} from './named-limiter';
export {
  definePolicy,
  type NamedLevel,
  type NamedPolicy,
  type ReadablePolicy,
  type SubjectsOf,
  shared,
} from './named-policy';
