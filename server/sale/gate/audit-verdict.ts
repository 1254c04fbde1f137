/** A gate and its outbox at one instant. */
export interface GateSnapshot {
  generation: number;
  sequence: number;
  revision: number;
  remaining: number;
  /** Orders of this generation in the outbox; undefined if there are too many to list. */
  orderIds: readonly string[] | undefined;
}

/** The same coupon in Postgres at one instant, read while its gate did not change. */
export interface LedgerSnapshot {
  stock: number;
  sold: number;
  generation: number;
  /** The highest sequence of this generation that the ledger has written. */
  sequence: number;
  revision: number;
  isOver: boolean;
  /** Confirmed and paid orders. */
  openOrders: number;
  /** Ended orders with a stock compensation, which the gate may or may not have received. */
  owed: number;
  /** Orders of the outbox that are in the ledger. */
  written: number;
  /** Written orders without stock, which the gate may or may not have released. */
  refused: number;
}

/**
 * `inconclusive`: the two cannot be compared now, because the gate has no state, is being rebuilt, has not applied a
 * change, or sells too fast. `gate-mismatch`: Redis contradicts a ledger that is consistent in itself.
 * `ledger-mismatch`: Postgres contradicts itself.
 */
export type AuditVerdict =
  | { verdict: 'consistent' | 'inconclusive' }
  | { verdict: 'gate-mismatch' | 'ledger-mismatch'; detail: string };

/** Compares a gate with its ledger: remaining + reserved + sold = total. */
export function computeAuditVerdict({
  gate,
  ledger,
}: {
  gate: GateSnapshot | undefined;
  ledger: LedgerSnapshot;
}): AuditVerdict {
  const { stock, sold, openOrders, owed, written, refused } = ledger;
  if (sold > stock) return { verdict: 'ledger-mismatch', detail: `${sold} are sold of ${stock}` };
  if (openOrders !== sold) {
    return { verdict: 'ledger-mismatch', detail: `${sold} count as sold, and ${openOrders} orders are open` };
  }
  if (ledger.isOver || !gate?.orderIds || !isComparable(gate, ledger)) return { verdict: 'inconclusive' };

  const reserved = gate.orderIds.length - written;
  const max = stock - sold - reserved;
  const min = max - owed - refused;
  if (gate.remaining >= min && gate.remaining <= max) return { verdict: 'consistent' };
  return {
    verdict: 'gate-mismatch',
    detail: `the gate has ${gate.remaining} left; with ${reserved} reserved and ${sold} sold of ${stock} it is ${max}`,
  };
}

function isComparable(gate: GateSnapshot, { generation, sequence, revision }: LedgerSnapshot): boolean {
  return gate.generation === generation && gate.revision === revision && gate.sequence >= sequence;
}
