/** The entry point `./queues` of the package: `createLimiter({ …, queues: createQueues })`. */

export type { QueueState, Ticket, Turn, TurnResult } from '../stores/ticket';
export {
  type Joined,
  type Queue,
  type QueueServer,
  type QueueTimers,
  type ServeOptions,
  TooManyTicketsError,
} from './queue';
export { createQueues } from './queues';
