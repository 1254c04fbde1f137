/** Where the procedures are; what follows is a procedure's path, or several with commas in a batch. */
export const TRPC_PREFIX = '/api/trpc/';

export const MAX_BATCH_SIZE = 10;
export const MAX_BODY_BYTES = 32 * 1024;
