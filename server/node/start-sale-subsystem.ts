import type { Metrics } from '../observability/metrics';
import type { UnwrittenBound } from '../sale/gate/gate';
import { connectDemoProvider } from '../sale/orders/demo-provider';
import { type Sale, type SaleOptions, startSale } from '../sale/sale';
import type { Subsystem } from './subsystem';

interface SaleSubsystemOptions extends Omit<SaleOptions, 'connectProvider' | 'unwritten'> {
  /** True in demo mode, which has its own payment provider. */
  demo: boolean;
  unwritten: UnwrittenBound;
  /** Called with the number of sales with a mismatch. */
  onMismatches: (count: number) => void;
}

/** Starts the sale, which runs its own jobs. */
export async function startSaleSubsystem({
  demo,
  unwritten,
  metrics,
  onMismatches,
  ...options
}: SaleSubsystemOptions): Promise<Subsystem<Sale>> {
  const saleMetrics: Metrics = {
    ...metrics,
    setAuditorMismatches(count) {
      onMismatches(count);
      metrics.setAuditorMismatches(count);
    },
  };
  const connectProvider = demo ? connectDemoProvider() : undefined;
  const sale = await startSale({ ...options, unwritten, connectProvider, metrics: saleMetrics });
  return {
    verbs: sale,
    checks: {
      async ledger() {
        const lagMs = sale.ledgerLagMs();
        if (lagMs <= unwritten.ageMs) return { ok: true, detail: `${lagMs} ms behind` };
        return { ok: false, detail: `${lagMs} ms behind; nothing is promised until it has caught up` };
      },
    },
    warnings: { auditor: sale.checkAudit },
    stop: sale.stop,
  };
}
