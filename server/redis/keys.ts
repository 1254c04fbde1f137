/**
 * The Redis keys of the product, without the limiter's keys (`server/limiter/decide/key.ts`). For the lab's experiments only the
 * prefixes are here. All keys of one script share a hash tag, so that a cluster keeps them in one slot.
 */
const PREFIX = 'floodgate:';

/**
 * The keys of one coupon's sale. Gate, buyers and outbox expire a day after the sale, reservations a day after the last
 * order, dead letters a week after the last one.
 */
export interface SaleKeys {
  /** Hash: the state of the gate. lua/sale/purchase.lua lists its fields. */
  gate: string;
  /** Hash of a seckill: shopper → order. */
  buyers: string;
  /** Stream: orders that the ledger has not written yet. */
  outbox: string;
  /** Stream: outbox entries that cannot be written. */
  dead: string;
  /** Hash of one shopper: order → reservation, until the ledger has written the order. */
  reservations(userId: string): string;
  /** Hash: buyers that a rebuild collects before it opens the gate. */
  stagedBuyers(generation: number): string;
}

/** Returns the keys of a coupon. They share one hash tag, so a script may use them together on a cluster. */
export function saleKeys(couponId: string): SaleKeys {
  const base = `${PREFIX}sale:{${encodePart(couponId)}}:`;
  return {
    gate: `${base}gate`,
    buyers: `${base}buyers`,
    outbox: `${base}outbox`,
    dead: `${base}dead`,
    reservations: (userId) => `${base}reservations:${encodePart(userId)}`,
    stagedBuyers: (generation) => `${base}buyers:${generation}`,
  };
}

/** Returns the coupon of a gate's key; undefined for another key. */
export function couponOfGate(key: string): string | undefined {
  const [, part] = /^floodgate:sale:\{(.+)\}:gate$/.exec(key) ?? [];
  return part === undefined ? undefined : decodeURIComponent(part);
}

/** Channel: the key of a gate that has changed; see lua/lib/publish-change.lua. */
export const changedGatesChannel: string = `${PREFIX}changed-gates`;

/** Channel: settled orders, for the nodes whose calls wait for them. */
export const settledChannel: string = `${PREFIX}settled`;

/** Channel: notification of a changed limit. Subscribers then read Postgres. */
export const overridesChannel: string = `${PREFIX}tuned`;

/** Hash: heartbeat of each node (totals, status), the totals of dead nodes, and `since`; see lua/fleet/heartbeat.lua. */
export const heartbeatsKey: string = `${PREFIX}{fleet}:rates`;
/** Hash: second % 600 → decisions of all nodes in that second; see lua/fleet/heartbeat.lua. */
export const historyKey: string = `${PREFIX}{fleet}:history`;
/** Sorted set: nodes by the instant of their last heartbeat. */
export const nodesKey: string = `${PREFIX}{fleet}:nodes`;

/** List and hash: recent arrivals of a policy; see lua/fleet/append-arrivals.lua. */
export function arrivalKeys(policy: string): { batches: string; about: string } {
  const base = `${PREFIX}{arrivals:${encodePart(policy)}}:`;
  return { batches: `${base}batches`, about: `${base}about` };
}

/** String of one node: its most refused subjects and its top subjects. */
export function subjectsKey(node: string): string {
  return `${PREFIX}{fleet}:subjects:${encodePart(node)}`;
}

/** String: active alerts and the states of the rules; see server/ops/alerts/. */
export const alertsKey: string = `${PREFIX}{fleet}:alerts`;

/** String: the auditor's lease, held by one node until the next run is due. */
export const auditLeaseKey: string = `${PREFIX}{fleet}:audit-turn`;
/** String: the last report of the auditor, for all nodes. */
export const auditReportKey: string = `${PREFIX}{fleet}:audit`;

/** List: codes in the mailbox of a demo, newest first. */
export const mailboxKey: string = `${PREFIX}mailbox`;

/**
 * Returns the prefix of all keys of one experiment of the lab. The keys share one slot. They are deleted at its end, and
 * expire if the node dies.
 */
export function experimentPrefix(experimentId: string): string {
  return `lab:{${encodePart(experimentId)}}:`;
}

/** Like `experimentPrefix`, but without a hash tag: a demonstration of the wrong way. */
export function scatteredExperimentPrefix(experimentId: string): string {
  return `lab:${encodePart(experimentId)}:`;
}

/** String: progress of a run of the lab. */
export function labProgressKey(runId: string): string {
  return `lab:{${encodePart(runId)}}:progress`;
}

/** Escapes separators and hash tags in a part of a key, and replaces invalid Unicode. */
function encodePart(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
