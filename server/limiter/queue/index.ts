/** The entry point `./queues` of the package: `createLimiter({ …, queues: createQueues })`. */
export {
  type Joined,
  type Queue,
  type QueueServer,
  type QueueState,
  type QueueTimers,
  type ServeOptions,
  type Ticket,
  TooManyTicketsError,
  type Turn,
  type TurnResult,
} from './queue';
export { createQueues } from './queues';
