/** A settled sale by gate and ledger. */
export interface SettledSale {
  total: number;
  /** The number in the coupon's row. */
  sold: number;
  /** The number in the gate. */
  remaining: number;
  /** The number of orders in the outbox. */
  reserved: number;
  /** Orders of the ledger that use stock. */
  confirmed: readonly { id: string; userId: string }[];
}

/** A rule of the sale, its result and the numbers behind it. */
export interface Invariant {
  rule: string;
  holds: boolean;
  evidence: string;
}

interface Seen {
  /** Ids of orders that an answer called confirmed. */
  seen: readonly string[];
}

/** Checks the rules that no fault may break, on a settled sale. */
export function saleInvariants(
  { total, sold, remaining, reserved, confirmed }: SettledSale,
  { seen }: Seen,
): Invariant[] {
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
