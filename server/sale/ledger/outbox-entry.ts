/** An order in the form that `purchase.lua` adds to the outbox. */
export interface OutboxEntry {
  /** The id in the stream, which is acked. */
  entryId: string;
  generation: number;
  /** The number of the purchase within its generation; 0 from a version without sequences. */
  sequence: number;
  orderId: string;
  userId: string;
  code: string;
  requestId: string | null;
  createdAt: number;
}

/** An entry that is not a valid order, with the fields that it has. */
export interface MalformedEntry {
  entryId: string;
  userId?: string | undefined;
  requestId?: string | undefined;
}

/** Splits the entries of a stream into valid and malformed ones. */
export function parseEntries(raw: readonly [entryId: string, flat: string[]][]): {
  entries: OutboxEntry[];
  malformed: MalformedEntry[];
} {
  const entries: OutboxEntry[] = [];
  const malformed: MalformedEntry[] = [];
  for (const [entryId, flat] of raw) {
    const fields = toFields(flat);
    const entry = toEntry(entryId, fields);
    if (entry) entries.push(entry);
    else malformed.push({ entryId, userId: fields.shopper, requestId: fields.request });
  }
  return { entries, malformed };
}

type Fields = Record<string, string | undefined>;

function toFields(flat: string[]): Fields {
  const fields: Fields = {};
  for (let index = 0; index < flat.length; index += 2) fields[String(flat[index])] = flat[index + 1];
  return fields;
}

/** Parses by hand, because a schema takes five times as long and every order passes here. */
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
