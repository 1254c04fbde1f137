/** The URL prefix of procedures. The procedure's path follows, or several separated by commas in a batch. */
export const TRPC_PREFIX = '/api/trpc/';

export const MAX_BATCH_SIZE = 10;
export const MAX_BODY_BYTES = 32 * 1024;
