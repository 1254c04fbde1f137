import { z } from 'zod';

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

const fields = z
  .object({
    generation: z.coerce.number().int(),
    sequence: z.coerce.number().int().default(0),
    order: z.string().min(1),
    shopper: z.string().min(1),
    code: z.string().min(1),
    request: z.string(),
    at: z.coerce.number().int(),
  })
  .transform(({ generation, sequence, order, shopper, code, request, at }) => ({
    generation,
    sequence,
    orderId: order,
    userId: shopper,
    code,
    requestId: request || null,
    createdAt: at,
  }));

/** Splits what a stream delivered into orders and what is none. */
export function parseEntries(raw: readonly [entryId: string, flat: string[]][]): {
  entries: OutboxEntry[];
  malformed: MalformedEntry[];
} {
  const entries: OutboxEntry[] = [];
  const malformed: MalformedEntry[] = [];
  for (const [entryId, flat] of raw) {
    const record = pairs(flat);
    const { data } = fields.safeParse(record);
    if (data) entries.push({ entryId, ...data });
    else malformed.push({ entryId, userId: record.shopper, requestId: record.request });
  }
  return { entries, malformed };
}

function pairs(flat: string[]): Record<string, string | undefined> {
  const record: Record<string, string | undefined> = {};
  for (let place = 0; place < flat.length; place += 2) record[String(flat[place])] = flat[place + 1];
  return record;
}
