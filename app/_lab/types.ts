import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../../server/router';

type Inputs = inferRouterInputs<AppRouter>['lab'];
type Outputs = inferRouterOutputs<AppRouter>['lab'];

export type AlgorithmRun = Outputs['run']['runs'][number];
/** A run without what only its tables show. */
export type DrawnRun = Omit<AlgorithmRun, 'keys' | 'tells'>;
export type Algorithm = AlgorithmRun['algorithm'];
export type DecidedCall = AlgorithmRun['decisions'][number];
export type LimiterResponse = NonNullable<AlgorithmRun['tells']['refused']>;
export type KeySnapshot = AlgorithmRun['keys'][number];
export type PackedState = NonNullable<KeySnapshot['meaning']>;
export type Mistake = Outputs['mistake'];
export type Card = Omit<Outputs['cards'][number], 'tip'>;
export type MistakeSide = Mistake['naive'];
export type CallGroup = MistakeSide['groups'][number];
export type DecisionVariant = Outputs['roundTrips']['variants'][number];
export type LeaseRun = Outputs['leases']['runs'][number];
export type StorageCost = Outputs['storages']['storages'][number];
export type StorageGrowth = Outputs['storageGrowth'];
export type GrowingLog = StorageGrowth['storages'][number];
export type GrowthMetric = keyof GrowingLog['costs'][number];
/** Time, address and user. */
export type LayeredCall = Inputs['layers']['calls'][number];
export type LayersSide = Outputs['layers']['together'];
export type Layer = keyof Inputs['layers']['limits'];
export type ExaminedLimiter = Inputs['examine']['limiter'];
export type Examination = Outputs['examine'];
export type FairnessSide = Outputs['fairness']['queue'];
