import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import { withinStoreTimeout } from '../../limiter';
import type { RedisClient } from '../../redis/client';
import { auditLeaseKey, auditReportKey } from '../../redis/keys';
import type { AuditReader } from './audit-snapshots';
import { type AuditVerdict, computeAuditVerdict } from './audit-verdict';

/** Compares every gate with the ledger, once in a while and on one node of the fleet at a time. */
export interface Auditor {
  /** Takes its turn, or reads what the node found whose turn it was. Call it every second. */
  sweepAudit(): Promise<void>;
  /** What stands, for an operator. */
  checkAudit(): Promise<{ ok: boolean; detail: string }>;
}

export interface AuditorOptions {
  auditReader: AuditReader;
  /** For whose turn it is, and what was found. */
  redis: RedisClient;
  /** Has a gate rebuilt from the ledger, now or soon. */
  markForRebuild: (couponId: string) => unknown;
  onMismatches: (count: number) => void;
  onHealed: () => void;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** The fleet looks this often, however many nodes it has. */
const EVERY_MS = 5_000;
/** What does not add up is looked at again: a fault stays, a coincidence does not. */
const LOOK_AGAIN_AFTER_MS = 300;
/** A gate that is off again after as many rebuilds within as long has another fault, which rebuilding only hides. */
const MOST_HEALS = 3;
const HEALS_COUNT_FOR_MS = 10 * 60 * 1000;
/** Findings that nobody renews for this long say nothing any more. */
const STALE_AFTER_MS = 60_000;
const WAIT_MS = 1_000;

export function createAuditor({
  auditReader: looks,
  redis,
  markForRebuild: rebuild,
  onMismatches,
  onHealed,
  log,
}: AuditorOptions): Auditor {
  let latest: { report: Report; heardAt: number } | undefined;
  const startedAt = performance.now();

  async function verdictOn(couponId: string): Promise<AuditVerdict> {
    const look = await looks.readSnapshots(couponId);
    return look ? computeAuditVerdict(look) : { verdict: 'unsettled' };
  }

  async function verdictsOn(couponIds: readonly string[]): Promise<Map<string, AuditVerdict>> {
    const verdicts = new Map<string, AuditVerdict>();
    for (const couponId of couponIds) verdicts.set(couponId, await verdictOn(couponId));
    return verdicts;
  }

  async function audit(before: Report | undefined): Promise<Report> {
    const couponIds = await looks.listCoupons();
    const verdicts = await verdictsOn(couponIds);
    const suspects = couponIds.filter((couponId) => isOff(verdicts.get(couponId)));
    if (suspects.length > 0) {
      await after(LOOK_AGAIN_AFTER_MS);
      for (const [couponId, again] of await verdictsOn(suspects)) {
        const isTheSame = again.verdict === verdicts.get(couponId)?.verdict;
        verdicts.set(couponId, isTheSame ? again : { verdict: 'unsettled' });
      }
    }

    const now = Date.now();
    const heals = (before?.heals ?? []).filter(({ at }) => at > now - HEALS_COUNT_FOR_MS);
    const findings: Report['findings'] = [];
    for (const [couponId, found] of verdicts) {
      if (!isOff(found)) continue;
      const wasHealed = heals.filter((heal) => heal.couponId === couponId).length;
      if (found.verdict === 'gate' && wasHealed < MOST_HEALS) {
        log.warn({ couponId, found: found.detail }, 'The gate did not agree with the ledger; it is rebuilt.');
        await rebuild(couponId);
        heals.push({ couponId, at: now });
        onHealed();
        continue;
      }
      findings.push({ couponId, detail: found.detail });
    }
    tellNew(findings, before);
    const unsettled = [...verdicts.values()].filter(({ verdict }) => verdict === 'unsettled').length;
    return { at: now, looked: couponIds.length, unsettled, findings, heals };
  }

  /** Each finding once, while it stands as it is. */
  function tellNew(findings: Report['findings'], before: Report | undefined): void {
    for (const { couponId, detail } of findings) {
      const isKnown = before?.findings.some((one) => one.couponId === couponId && one.detail === detail);
      if (!isKnown)
        log.error({ couponId, found: detail }, 'A sale does not add up, and only a person can say why.');
    }
  }

  async function readReport(): Promise<Report | undefined> {
    const text = await withinStoreTimeout(redis.get(auditReportKey), WAIT_MS);
    return text === null ? undefined : parseReport(text);
  }

  function keep(report: Report): void {
    if (report.at !== latest?.report.at) latest = { report, heardAt: performance.now() };
    onMismatches(report.findings.length);
  }

  return {
    async sweepAudit() {
      // The turn ends by itself: a node that dies during its own holds up nobody for longer.
      const taking = redis.set(auditLeaseKey, 'taken', 'PX', EVERY_MS, 'NX');
      const isMine = (await withinStoreTimeout(taking, WAIT_MS)) === 'OK';
      const before = await readReport();
      if (!isMine) return before && keep(before);
      const report = await audit(before);
      keep(report);
      const telling = redis.set(auditReportKey, JSON.stringify(report), 'PX', HEALS_COUNT_FOR_MS);
      await withinStoreTimeout(telling, WAIT_MS);
    },

    async checkAudit() {
      const silentMs = performance.now() - (latest?.heardAt ?? startedAt);
      if (silentMs > STALE_AFTER_MS) {
        return { ok: false, detail: `nobody has looked for ${Math.floor(silentMs / 1000)} s` };
      }
      if (!latest) return { ok: true, detail: 'nobody has looked yet' };
      const { looked, unsettled, findings } = latest.report;
      if (findings.length > 0) {
        return {
          ok: false,
          detail: findings.map(({ couponId, detail }) => `${couponId}: ${detail}`).join('; '),
        };
      }
      return { ok: true, detail: `${looked - unsettled} of ${looked} sales add up, none is off` };
    },
  };
}

type Off = Extract<AuditVerdict, { detail: string }>;

function isOff(verdict: AuditVerdict | undefined): verdict is Off {
  return verdict !== undefined && 'detail' in verdict;
}

const reportShape = z.object({
  at: z.number(),
  /** Sales that were looked at, and how many of them could not be compared. */
  looked: z.number(),
  unsettled: z.number(),
  findings: z.array(z.object({ couponId: z.string(), detail: z.string() })),
  heals: z.array(z.object({ couponId: z.string(), at: z.number() })),
});

type Report = z.infer<typeof reportShape>;

/** A node of another version may tell it in another form. */
function parseReport(text: string): Report | undefined {
  try {
    return reportShape.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
