/** The entry point `./queues` of the npm package: `createLimiter({ …, queues: createQueues })`. */
export type {
  Joined,
  Queue,
  QueueServer,
  QueueState,
  ServeOptions,
  Ticket,
  Turn,
  TurnResult,
} from '../limiter/queue';
export { createQueues } from '../limiter/queues';
