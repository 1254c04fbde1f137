/** One waiting ticket of the oracle. */
interface OracleTicket {
  owner: string;
  promisedAt: number;
}

/**
 * Defines a queue behind an exact window, without its log: the hits and the waiting tickets are lists. Instants are epoch
 * ms.
 */
export function createQueueOracle({ limit, windowMs }: { limit: number; windowMs: number }) {
  const hits: number[] = [];
  let waiting: OracleTicket[] = [];
  let max = limit;
  const inWindow = (now: number) => hits.filter((hit) => hit > now - windowMs);

  /** Returns the turn of the ticket at a position, one ticket after the other. */
  function turnAt(position: number, now: number): number {
    // The instants at which the places of the window free, for each ticket in order.
    const leaving = inWindow(now).map((hit) => hit + windowMs);
    const places = [...Array(Math.max(0, max - leaving.length)).fill(now), ...leaving.slice(-max)];
    const turns: number[] = [];
    for (let index = 0; index < position; index += 1) {
      const before = turns[index - max];
      turns.push(before === undefined ? (places[index] ?? now) + 50 : before + windowMs + 25);
    }
    return turns.at(-1) ?? now;
  }

  return {
    setLimit(next: number) {
      max = next;
    },
    waiting: () => waiting.map(({ owner }) => owner),
    /** Returns true if a direct call is admitted. */
    call(now: number): boolean {
      if (waiting.length > 0 || inWindow(now).length >= max) return false;
      hits.push(now);
      return true;
    },
    /** Returns the position of a ticket with its turn; undefined if the call is admitted. */
    join(owner: string, now: number): { position: number; turnAt: number } | undefined {
      const known = waiting.findIndex((ticket) => ticket.owner === owner);
      if (known === -1 && this.call(now)) return undefined;
      const position = known === -1 ? waiting.length + 1 : known + 1;
      const ticket = { position, turnAt: turnAt(position, now) };
      if (known === -1) waiting.push({ owner, promisedAt: ticket.turnAt });
      return ticket;
    },
    leave(owner: string): boolean {
      const before = waiting.length;
      waiting = waiting.filter((ticket) => ticket.owner !== owner);
      return waiting.length < before;
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
