/** The longest test files, longest first. `npm test` lists the slowest files of a run at its end. */
export const longestFiles: readonly string[] = [
  'server/sale/gate/auditor.integration.test.ts',
  'server/sale/sale.integration.test.ts',
  'server/sale/orders/holds.integration.test.ts',
  'server/sale/coupons/run-sale.integration.test.ts',
  'server/limits/overrides.integration.test.ts',
  'server/sale/ledger/ledger.integration.test.ts',
  'server/ops/ops.integration.test.ts',
  'server/api.integration.test.ts',
  'bench/run.integration.test.ts',
  'server/limits/operators.integration.test.ts',
  'server/sale/gate/lost-gate.integration.test.ts',
];
