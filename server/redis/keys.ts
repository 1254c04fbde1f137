/**
 * Every Redis key of the product but the limiter's own, which `server/limiter/key.ts` makes, and those of the lab's
 * experiments, which begin as it is said here.
 * Whatever one script touches shares a hash tag, so that a cluster keeps it in one slot.
 */
const PREFIX = 'floodgate:';

/** The keys of one coupon's sale. They live as long as their sale, and a day longer. */
export interface SaleKeys {
  /** Hash: what the gate decides by (generation, kind, starts_at, ends_at, remaining). */
  gate: string;
  /** Hash: shopper → order, of a seckill. */
  buyers: string;
  /** Stream: orders that the ledger has not yet written. */
  outbox: string;
  /** Stream: outbox entries that cannot be written. */
  dead: string;
  /** Hash: order → reservation, of one shopper, until the ledger has written it. */
  reservations(userId: string): string;
  /** String: the order that a request id made at a node of version 0.1.0. Later versions write none for their own ids. */
  formerRequest(userId: string, requestId: string): string;
  /** Hash: the buyers that a rebuild collects before it opens the gate. */
  stagedBuyers(generation: number): string;
}

export function saleKeys(couponId: string): SaleKeys {
  const base = `${PREFIX}sale:{${part(couponId)}}:`;
  return {
    gate: `${base}gate`,
    buyers: `${base}buyers`,
    outbox: `${base}outbox`,
    dead: `${base}dead`,
    reservations: (userId) => `${base}reservations:${part(userId)}`,
    formerRequest: (userId, requestId) => `${base}request:${part(userId)}:${part(requestId)}`,
    stagedBuyers: (generation) => `${base}buyers:${generation}`,
  };
}

/** Channel: what the ledger has settled, for the nodes whose calls wait for it. */
export const settledChannel: string = `${PREFIX}settled`;

/** Channel: that limits were tuned; whoever hears it reads Postgres. */
export const tunedChannel: string = `${PREFIX}tuned`;

/** Hash: node → how many decisions, by policy, level and outcome; see lua/limits/share-rates.lua. */
export const ratesKey: string = `${PREFIX}{fleet}:rates`;
/** Hash: second % 300 → what all nodes decided in it; see lua/limits/share-rates.lua. */
export const historyKey: string = `${PREFIX}{fleet}:history`;
/** Sorted set: the nodes, by when they were last heard of. */
export const nodesKey: string = `${PREFIX}{fleet}:nodes`;

/** List and hash: what has arrived at a policy of late; see lua/limits/keep-arrivals.lua. */
export function arrivalKeys(policy: string): { batches: string; about: string } {
  const base = `${PREFIX}{arrivals:${part(policy)}}:`;
  return { batches: `${base}batches`, about: `${base}about` };
}

/** String, of a node: who was refused most, and whose windows are fullest, as far as it knows. */
export function subjectsKey(node: string): string {
  return `${PREFIX}{fleet}:subjects:${part(node)}`;
}

/** String: which alerts stand, and how far those are that may; see server/ops/alerts/. */
export const alertsKey: string = `${PREFIX}{fleet}:alerts`;

/** String: stands while a node has taken the auditor's turn, and until the next one is due. */
export const auditTurnKey: string = `${PREFIX}{fleet}:audit-turn`;
/** String: what the auditor found last, for all nodes. */
export const auditReportKey: string = `${PREFIX}{fleet}:audit`;

/** List: what a demo would have mailed, newest first. */
export const mailboxKey: string = `${PREFIX}mailbox`;

/**
 * Begins every key of one experiment of the lab, and no other key: all of them lie in one slot. They are deleted when
 * it ends, and expire if nobody is left to delete them.
 */
export function labPrefix(experimentId: string): string {
  return `lab:{${part(experimentId)}}:`;
}

/** As `labPrefix`, but each key lies in a slot of its own: how it must not be done. */
export function scatteredLabPrefix(experimentId: string): string {
  return `lab:${part(experimentId)}:`;
}

/** String: how far a run of the lab has come. */
export function labProgressKey(runId: string): string {
  return `lab:{${part(runId)}}:progress`;
}

/** Keeps separators and hash tags out of a part of a key; text that is not Unicode is made so. */
function part(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
