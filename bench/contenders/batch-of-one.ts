import {
  type BatcherOptions,
  createBatcher as createProductBatcher,
  type SendCommand,
} from '../../server/limiter/decide/batcher';

/** Replaces `server/limiter/decide/batcher.ts` in measurements of single decisions: each script call carries one decision. */
export function createBatcher<Reply>(options: BatcherOptions<Reply>): SendCommand<Reply> {
  return createProductBatcher({ ...options, maxBatchSize: 1 });
}
