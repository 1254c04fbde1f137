import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Finding, Health } from '../../finding';
import { withinStoreTimeout } from '../../limiter/index';
import type { Log } from '../../observability/log';
import type { RedisClient } from '../../redis/client';
import { auditLeaseKey, auditReportKey } from '../../redis/keys';
import { parseJson } from '../../trpc/parse-json';
import {
  AUDIT_SLICE,
  AUDIT_TIMEOUT_MS,
  type AuditReader,
  type AuditVerdict,
  computeAuditVerdict,
} from './audit';
import type { ChangedGates } from './changed-gates';

/**
 * Compares the gates with the ledger at intervals, on one node of the fleet at a time: those that changed lately, and the next
 * slice of all.
 */
export interface Auditor {
  /** Takes the lease and audits, or reads the report of the node that holds the lease. Call it every second. */
  sweepAudit(): Promise<void>;
  /** Returns the latest findings as a dependency check. */
  checkAudit(): Promise<Health>;
}

/** Interval of audits in the fleet, for any number of nodes. */
const EVERY_MS = 5_000;
/** Time for which each audit compares a changed gate: also the one that begins after its last change. */
const CHANGED_FOR_MS = 3 * EVERY_MS;
/** Delay of the second comparison after a mismatch, which excludes changes during the first. */
const COMPARE_AGAIN_AFTER_MS = 300;
/** After this many rebuilds of one gate within this time, a new mismatch is reported instead of repaired. */
const MAX_HEALS = 3;
const HEALS_COUNT_FOR_MS = 10 * 60 * 1000;
/** A report that is older than this is unusable. */
const STALE_AFTER_MS = 60_000;

/** Creates the auditor of a node. */
export function createAuditor({
  auditReader,
  changedGates,
  redis,
  markForRebuild,
  onMismatches,
  onHealed,
  log,
}: {
  auditReader: AuditReader;
  changedGates: Pick<ChangedGates, 'within'>;
  /** Holds the lease and the report. */
  redis: RedisClient;
  /** Marks a gate for a rebuild from the ledger. */
  markForRebuild: (couponId: string) => void;
  onMismatches: (count: number) => void;
  onHealed: () => void;
  log: Pick<Log, 'warn' | 'error'>;
}): Auditor {
  let latest: { report: Report; receivedAt: number } | undefined;
  const startedAt = performance.now();

  /** Returns the verdicts by coupon, without those that are no seckill. */
  async function auditCoupons(couponIds: readonly string[]): Promise<Map<string, AuditVerdict>> {
    const snapshots = await auditReader.readSnapshots(couponIds);
    return new Map([...snapshots].map(([couponId, one]) => [couponId, computeAuditVerdict(one)]));
  }

  async function audit(before: Report | undefined): Promise<Report> {
    const slice = await auditReader.listSlice(before?.after);
    const due = new Set([
      ...(before?.mismatches ?? []).map(({ couponId }) => couponId),
      ...changedGates.within(CHANGED_FOR_MS),
      ...slice.map(({ id }) => id),
    ]);
    const verdicts = await auditCoupons([...due]);
    const suspects = [...verdicts].flatMap(([couponId, verdict]) => (isMismatch(verdict) ? [couponId] : []));
    if (suspects.length > 0) {
      await sleep(COMPARE_AGAIN_AFTER_MS);
      for (const [couponId, again] of await auditCoupons(suspects)) {
        const isTheSame = again.verdict === verdicts.get(couponId)?.verdict;
        verdicts.set(couponId, isTheSame ? again : { verdict: 'inconclusive' });
      }
    }

    const now = Date.now();
    const heals = (before?.heals ?? []).filter(({ at }) => at > now - HEALS_COUNT_FOR_MS);
    const mismatches: Report['mismatches'] = [];
    for (const [couponId, found] of verdicts) {
      if (!isMismatch(found)) continue;
      const healCount = heals.filter((heal) => heal.couponId === couponId).length;
      if (found.verdict === 'gate-mismatch' && healCount < MAX_HEALS) {
        log.warn({ couponId, found: found.detail }, 'The gate did not agree with the ledger and is rebuilt.');
        markForRebuild(couponId);
        heals.push({ couponId, at: now });
        onHealed();
        continue;
      }
      mismatches.push({ couponId, detail: found.detail });
    }
    logNew(mismatches, before);
    const inconclusive = [...verdicts.values()].filter(({ verdict }) => verdict === 'inconclusive').length;
    const after = slice.length < AUDIT_SLICE ? undefined : slice.at(-1);
    return { at: now, after, audited: verdicts.size, inconclusive, mismatches, heals };
  }

  /** Logs each mismatch once, while it does not change. */
  function logNew(mismatches: Report['mismatches'], before: Report | undefined): void {
    for (const { couponId, detail } of mismatches) {
      const isKnown = before?.mismatches.some((one) => one.couponId === couponId && one.detail === detail);
      if (!isKnown)
        log.error({ couponId, found: detail }, 'A sale is inconsistent and needs a manual check.');
    }
  }

  async function readReport(): Promise<Report | undefined> {
    const text = await withinStoreTimeout(redis.get(auditReportKey), AUDIT_TIMEOUT_MS);
    return text === null ? undefined : parseReport(text);
  }

  function storeLatest(report: Report): void {
    if (report.at !== latest?.report.at) latest = { report, receivedAt: performance.now() };
    onMismatches(report.mismatches.length);
  }

  return {
    async sweepAudit() {
      // The lease expires, so a node that dies during its audit delays the next one by one interval at most.
      const leasing = redis.set(auditLeaseKey, 'taken', 'PX', EVERY_MS, 'NX');
      const hasLease = (await withinStoreTimeout(leasing, AUDIT_TIMEOUT_MS)) === 'OK';
      const before = await readReport();
      if (!hasLease) return before && storeLatest(before);
      const report = await audit(before);
      storeLatest(report);
      const writing = redis.set(auditReportKey, formatReport(report), 'PX', HEALS_COUNT_FOR_MS);
      await withinStoreTimeout(writing, AUDIT_TIMEOUT_MS);
    },

    async checkAudit() {
      const ageMs = performance.now() - (latest?.receivedAt ?? startedAt);
      if (ageMs > STALE_AFTER_MS) {
        const seconds = Math.floor(ageMs / 1000);
        const findings: Finding[] = [{ code: 'no-audit', values: { seconds } }];
        return { ok: false, detail: `no audit for ${seconds} s`, findings };
      }
      if (!latest) return { ok: true, detail: 'no audit yet', findings: [{ code: 'no-audit-yet' }] };
      const { at, inconclusive, mismatches, heals } = latest.report;
      if (mismatches.length > 0) {
        return {
          ok: false,
          detail: mismatches.map(({ couponId, detail }) => `${couponId}: ${detail}`).join('; '),
          findings: mismatches.map(({ couponId }) => ({ code: 'mismatch', values: { couponId } })),
        };
      }
      // The rebuild follows by itself. The next audit compares the sale again.
      const count = heals.filter((heal) => heal.at === at).length;
      const audited = latest.report.audited - count;
      const consistent = audited - inconclusive;
      const sales = { code: 'audited' as const, values: { consistent, audited } };
      return {
        ok: true,
        detail: `${consistent} of ${audited} sales are consistent${count > 0 ? `; ${count} being rebuilt` : ''}`,
        findings: count > 0 ? [{ code: 'repairing', values: { count } }, sales] : [sales],
      };
    },
  };
}

type Mismatch = Extract<AuditVerdict, { detail: string }>;

function isMismatch(verdict: AuditVerdict | undefined): verdict is Mismatch {
  return verdict !== undefined && 'detail' in verdict;
}

/** The report in Redis. Its field names are shared with nodes of other versions. */
const reportShape = z
  .object({
    at: z.number(),
    looked: z.number(),
    unsettled: z.number(),
    findings: z.array(z.object({ couponId: z.string(), detail: z.string() })),
    heals: z.array(z.object({ couponId: z.string(), at: z.number() })),
    /** The last coupon of the slice; absent after the last slice. */
    after: z
      .object({ id: z.string(), endsAt: z.iso.datetime().transform((text) => new Date(text)) })
      .optional(),
  })
  .transform(({ looked: audited, unsettled: inconclusive, findings: mismatches, ...report }) => ({
    ...report,
    mismatches,
    /** Number of sales of this audit. */
    audited,
    /** Number of them without a conclusive verdict. */
    inconclusive,
  }));

type Report = z.output<typeof reportShape>;

function formatReport({ audited, inconclusive, mismatches, after, ...report }: Report): string {
  const stored = {
    ...{ ...report, looked: audited, unsettled: inconclusive, findings: mismatches },
    after: after && { id: after.id, endsAt: after.endsAt.toISOString() },
  };
  return JSON.stringify(stored satisfies z.input<typeof reportShape>);
}

/** Returns undefined for a report of another form, which another version may have written. */
function parseReport(text: string): Report | undefined {
  return reportShape.safeParse(parseJson(text)).data;
}
