import type { ResolvedPolicy } from '../limiter';

/** The policies that the procedures of this node declare: what is listed, tuned and shown. */
export type Catalogue = readonly ResolvedPolicy<never>[];
