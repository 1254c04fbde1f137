import { awaitReply } from '../sandbox/experiment';

/** Waits for the replies of one call's commands, and counts these round trips. */
export interface CountedSend {
  <Reply>(reply: Promise<Reply>): Promise<Reply>;
  roundTrips(): number;
}

/** Counts one round trip per reply, also if it fails. A reply after 5 s rejects with `StoreUnavailableError`. */
export function createCountedSend(): CountedSend {
  let roundTrips = 0;
  const send = <Answer>(reply: Promise<Answer>): Promise<Answer> => {
    roundTrips += 1;
    return awaitReply(reply);
  };
  return Object.assign(send, { roundTrips: () => roundTrips });
}
