import type { ResolvedPolicy } from '../limiter';

/** All policies that the procedures of this node declare. Operators list them and override their limits. */
export type PolicyRegistry = readonly ResolvedPolicy<never>[];
