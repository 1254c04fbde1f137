/** The entry point `./queues` of the npm package: `createLimiter({ …, queues: createQueues })`. */
export {
  type Joined,
  type Queue,
  type QueueServer,
  type QueueState,
  type ServeOptions,
  type Ticket,
  TooManyTicketsError,
  type Turn,
  type TurnResult,
} from './queue';
export { createQueues } from './queues';
