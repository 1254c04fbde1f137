import { z } from 'zod';

/** An order as `purchase.lua` put it into the outbox. */
export interface OutboxEntry {
  /** Of the stream; what is acknowledged. */
  entryId: string;
  generation: number;
  orderId: string;
  userId: string;
  code: string;
  requestId: string | null;
  createdAt: number;
}

const fields = z
  .object({
    generation: z.coerce.number().int(),
    order: z.string().min(1),
    shopper: z.string().min(1),
    code: z.string().min(1),
    request: z.string(),
    at: z.coerce.number().int(),
  })
  .transform(({ generation, order, shopper, code, request, at }) => ({
    generation,
    orderId: order,
    userId: shopper,
    code,
    requestId: request || null,
    createdAt: at,
  }));

/** Splits what a stream delivered into orders and what is none. */
export function parseEntries(raw: readonly [entryId: string, flat: string[]][]): {
  entries: OutboxEntry[];
  malformed: string[];
} {
  const entries: OutboxEntry[] = [];
  const malformed: string[] = [];
  for (const [entryId, flat] of raw) {
    const { data } = fields.safeParse(pairs(flat));
    if (data) entries.push({ entryId, ...data });
    else malformed.push(entryId);
  }
  return { entries, malformed };
}

function pairs(flat: string[]): Record<string, string | undefined> {
  const record: Record<string, string | undefined> = {};
  for (let place = 0; place < flat.length; place += 2) record[String(flat[place])] = flat[place + 1];
  return record;
}
