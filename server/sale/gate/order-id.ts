import { createHash, randomUUID } from 'node:crypto';
import type { Coupon } from '../coupons/coupon';

/** One call of a shopper to buy a coupon. */
export interface PurchaseRequest {
  kind: Coupon['kind'];
  couponId: string;
  userId: string;
  requestId?: string | undefined;
}

/**
 * Returns the id of the order that a request makes. The same request id always gives the same order id, so the gate and
 * the ledger find the order of a repeated call without another key (docs/decisions/030-one-key-for-a-request-id.md).
 */
export function createOrderId({ kind, couponId, userId, requestId }: PurchaseRequest): string {
  if (requestId === undefined) return randomUUID();
  const text = JSON.stringify(['order', kind, couponId, userId, requestId]);
  return toUuid(createHash('sha256').update(text).digest());
}

/** Returns a UUID of version 8 (RFC 9562, section 5.8): all but 6 bits come from the caller. */
function toUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
