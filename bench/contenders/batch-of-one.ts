import {
  type BatcherOptions,
  createBatcher as createProductBatcher,
  type Send,
} from '../../server/limiter/decide/batcher';

/** Replaces `server/limiter/decide/batcher.ts` in measurements of single decisions: each script call carries one decision. */
export function createBatcher<Command, Reply>(options: BatcherOptions<Command, Reply>): Send<Command, Reply> {
  return createProductBatcher({ ...options, maxBatchSize: 1 });
}
