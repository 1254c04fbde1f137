/** A call that may wait. */
export interface OracleCall {
  owner: string;
  group: string;
  address: string;
}

interface OracleTicket extends OracleCall {
  promisedAt: number;
}

export interface OracleQueue {
  limit: number;
  windowMs: number;
  maxLength: number;
  /** The most tickets of an owner, and of an address while more than half of `maxLength` wait. */
  maxPerSubject: number;
  mostOfAddress: number;
}

/** A joined call: admitted, waiting, refused by the bounds of the queue, or in conflict with the owner's other tickets. */
export type OracleJoin = 'admitted' | 'full' | 'conflict' | { position: number; turnAt: number };

/**
 * Defines a queue behind an exact window, without its log: the hits and the waiting tickets are lists. Instants are epoch
 * ms.
 */
export function createQueueOracle({ limit, windowMs, maxLength, ...most }: OracleQueue) {
  const hits: number[] = [];
  let waiting: OracleTicket[] = [];
  let max = limit;
  const inWindow = (now: number) => hits.filter((hit) => hit > now - windowMs);
  const find = ({ owner, group }: Omit<OracleCall, 'address'>) =>
    waiting.findIndex((ticket) => ticket.owner === owner && ticket.group === group);

  /** Returns the turn of the ticket at a position, one ticket after the other. */
  function turnAt(position: number, now: number): number {
    // The instants at which the places of the window free, for each ticket in order.
    const leaving = inWindow(now).map((hit) => hit + windowMs);
    const places = [...Array(Math.max(0, max - leaving.length)).fill(now), ...leaving.slice(-max)];
    const turns: number[] = [];
    for (let index = 0; index < position; index += 1) {
      turns.push((turns[index - max] ?? (places[index] ?? now) - windowMs) + windowMs + 50);
    }
    return turns.at(-1) ?? now;
  }

  return {
    setLimit(next: number) {
      max = next;
    },
    waiting: () => waiting.length,
    /** Returns true if a direct call is admitted. */
    call(now: number): boolean {
      if (waiting.length > 0 || inWindow(now).length >= max) return false;
      hits.push(now);
      return true;
    },
    join(call: OracleCall, now: number): OracleJoin {
      const known = find(call);
      if (known !== -1) return { position: known + 1, turnAt: turnAt(known + 1, now) };
      if (this.call(now)) return 'admitted';
      const count = (field: keyof OracleCall) => waiting.filter((one) => one[field] === call[field]).length;
      const isCrowded = waiting.length > maxLength / 2 && count('address') >= most.mostOfAddress;
      if (waiting.length >= maxLength || isCrowded) return 'full';
      if (count('owner') >= most.maxPerSubject) return 'conflict';
      const ticket = { position: waiting.length + 1, turnAt: turnAt(waiting.length + 1, now) };
      waiting.push({ ...call, promisedAt: ticket.turnAt });
      return ticket;
    },
    leave(ticket: Omit<OracleCall, 'address'>): boolean {
      const index = find(ticket);
      if (index !== -1) waiting = waiting.toSpliced(index, 1);
      return index !== -1;
    },
    /** Charges and removes the tickets that have a place. */
    serve(now: number): OracleTicket[] {
      const served = waiting.splice(0, Math.max(0, max - inWindow(now).length));
      for (const _ticket of served) hits.push(now);
      return served;
    },
    /** Returns the instant at which the next ticket has a place; undefined if none waits. */
    nextAt: (now: number) => (waiting.length > 0 ? Math.max(now, turnAt(1, now) - 50) : undefined),
  };
}
