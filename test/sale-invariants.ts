/** A sale at rest, as gate and ledger have it, and what its shoppers were told. */
export interface SettledSale {
  total: number;
  /** By the coupon's row. */
  sold: number;
  /** By the gate. */
  remaining: number;
  /** Orders that wait in the outbox. */
  reserved: number;
  /** Orders of the ledger that hold stock. */
  confirmed: readonly { id: string; userId: string }[];
  /** Ids of orders that a caller was told are confirmed. */
  seen: readonly string[];
}

/** A rule of the sale, whether it held, and the numbers that say so. */
export interface Invariant {
  rule: string;
  holds: boolean;
  evidence: string;
}

/** What no fault may break, once nothing is on its way any more. */
export function saleInvariants({
  total,
  sold,
  remaining,
  reserved,
  confirmed,
  seen,
}: SettledSale): Invariant[] {
  const shoppers = new Set(confirmed.map(({ userId }) => userId)).size;
  const inLedger = new Set(confirmed.map(({ id }) => id));
  const missing = [...new Set(seen)].filter((id) => !inLedger.has(id));
  return [
    {
      rule: 'confirmed ≤ stock',
      holds: confirmed.length <= total && confirmed.length === sold,
      evidence: `${confirmed.length} orders confirmed, ${sold} counted as sold, of ${total}`,
    },
    {
      rule: 'one order per shopper',
      holds: shoppers === confirmed.length,
      evidence: `${confirmed.length} orders of ${shoppers} shoppers`,
    },
    {
      rule: 'every confirmation seen is in Postgres',
      holds: missing.length === 0,
      evidence:
        missing.length === 0
          ? `${new Set(seen).size} confirmations seen`
          : `missing: ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ` and ${missing.length - 5} more` : ''}`,
    },
    {
      rule: 'remaining + reserved + sold = total',
      holds: remaining + reserved + sold === total,
      evidence: `${remaining} + ${reserved} + ${sold} of ${total}`,
    },
  ];
}
