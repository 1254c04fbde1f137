/** Timeout of each command to Redis for operators, in ms. They wait longer than shoppers. */
export const OPS_STORE_TIMEOUT_MS = 500;
