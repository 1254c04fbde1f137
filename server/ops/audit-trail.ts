/** Something that an operator did. */
export interface AuditEntry {
  id: number;
  /** Epoch ms. */
  at: number;
  /** The user's id, and the name where it is known. */
  who: string;
  whoName?: string | undefined;
  /** The procedure, as in `limit.update`. */
  what: string;
  /** What it was done to: a coupon's id, or policy and level as in `coupon.claim:user`. */
  target: string;
  /** As it was and as it became: fields by name. */
  before: Record<string, unknown>;
  after: Record<string, unknown>;
  why?: string | undefined;
}

export interface AuditPage {
  /** Newest first. */
  entries: AuditEntry[];
  /** Absent on the last page. */
  nextCursor?: string;
}
