/** A gate and its outbox, as of one instant. */
export interface GateSnapshot {
  generation: number;
  sequence: number;
  revision: number;
  remaining: number;
  /** Orders of this generation that wait in the outbox; undefined where they are too many to be told. */
  orderIds: readonly string[] | undefined;
}

/** The same coupon in Postgres, as of one instant at which its gate stood still. */
export interface LedgerSnapshot {
  stock: number;
  sold: number;
  generation: number;
  /** The highest that the ledger has written of this generation. */
  sequence: number;
  revision: number;
  isOver: boolean;
  /** Orders that are confirmed or paid. */
  openOrders: number;
  /** Ended orders whose stock the gate may or may not have been given back by now. */
  owed: number;
  /** Of the orders that wait in the outbox: those that the ledger has. */
  written: number;
  /** Of those: the ones that hold no stock, which the gate may or may not know by now. */
  refused: number;
}

/**
 * `unsettled`: the two cannot be compared right now, because the gate is away, is being rebuilt, has yet to take a
 * change, or sells too fast. `gate`: Redis disagrees with a ledger that is right by itself. `ledger`: Postgres disagrees
 * with itself.
 */
export type AuditVerdict = { verdict: 'even' | 'unsettled' } | { verdict: 'gate' | 'ledger'; detail: string };

/** Whether remaining + reserved + sold = total. */
export function computeAuditVerdict({
  gate,
  ledger,
}: {
  gate: GateSnapshot | undefined;
  ledger: LedgerSnapshot;
}): AuditVerdict {
  const { stock, sold, openOrders, owed, written, refused } = ledger;
  if (sold > stock) return { verdict: 'ledger', detail: `${sold} are sold of ${stock}` };
  if (openOrders !== sold) {
    return { verdict: 'ledger', detail: `${sold} count as sold, and ${openOrders} orders are open` };
  }
  if (ledger.isOver || !gate?.orderIds || !isOfOneMind(gate, ledger)) return { verdict: 'unsettled' };

  const reserved = gate.orderIds.length - written;
  const most = stock - sold - reserved;
  const least = most - owed - refused;
  if (gate.remaining >= least && gate.remaining <= most) return { verdict: 'even' };
  return {
    verdict: 'gate',
    detail: `the gate has ${gate.remaining} left; with ${reserved} reserved and ${sold} sold of ${stock} it is ${most}`,
  };
}

function isOfOneMind(gate: GateSnapshot, { generation, sequence, revision }: LedgerSnapshot): boolean {
  return gate.generation === generation && gate.revision === revision && gate.sequence >= sequence;
}
