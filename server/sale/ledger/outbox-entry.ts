/** An order as `purchase.lua` put it into the outbox. */
export interface OutboxEntry {
  /** Of the stream; what is acknowledged. */
  entryId: string;
  generation: number;
  /** Of the purchase, within its generation; 0 where the gate did not count yet. */
  sequence: number;
  orderId: string;
  userId: string;
  code: string;
  requestId: string | null;
  createdAt: number;
}

/** What no order can be made of, with as much of one as it shows. */
export interface MalformedEntry {
  entryId: string;
  userId?: string | undefined;
  requestId?: string | undefined;
}

/** Splits what a stream delivered into orders and what is none. */
export function parseEntries(raw: readonly [entryId: string, flat: string[]][]): {
  entries: OutboxEntry[];
  malformed: MalformedEntry[];
} {
  const entries: OutboxEntry[] = [];
  const malformed: MalformedEntry[] = [];
  for (const [entryId, flat] of raw) {
    const fields = pairs(flat);
    const entry = toEntry(entryId, fields);
    if (entry) entries.push(entry);
    else malformed.push({ entryId, userId: fields.shopper, requestId: fields.request });
  }
  return { entries, malformed };
}

type Fields = Record<string, string | undefined>;

function pairs(flat: string[]): Fields {
  const fields: Fields = {};
  for (let place = 0; place < flat.length; place += 2) fields[String(flat[place])] = flat[place + 1];
  return fields;
}

/** By hand: a schema takes five times as long, and this is done for every order. */
function toEntry(entryId: string, fields: Fields): OutboxEntry | undefined {
  const { order, shopper, code, request } = fields;
  const generation = Number(fields.generation);
  const sequence = Number(fields.sequence ?? 0);
  const createdAt = Number(fields.at);
  if (!order || !shopper || !code || request === undefined) return undefined;
  if (![generation, sequence, createdAt].every(Number.isSafeInteger)) return undefined;
  const requestId = request || null;
  return { entryId, generation, sequence, orderId: order, userId: shopper, code, requestId, createdAt };
}
