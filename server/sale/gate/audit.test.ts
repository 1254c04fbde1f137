import { describe, expect, test } from 'vitest';
import { computeAuditVerdict, type GateSnapshot, type LedgerSnapshot } from './audit';

/** 50 in all: 20 sold, 3 of which still wait in the outbox with 2 that are not written; 28 left. */
const gate: GateSnapshot = {
  ...{ generation: 2, sequence: 22, revision: 1, remaining: 28 },
  orderIds: ['a', 'b', 'c', 'd', 'e'],
};
const ledger: LedgerSnapshot = {
  ...{ stock: 50, sold: 20, generation: 2, sequence: 20, revision: 1, hasEnded: false },
  ...{ openOrders: 20, compensations: 0, written: 3, refused: 0 },
};

describe('remaining + reserved + sold = total', () => {
  const cases: [
    what: string,
    gate: Partial<GateSnapshot> | undefined,
    ledger: Partial<LedgerSnapshot>,
    verdict: string,
  ][] = [
    ['28 + 2 + 20 = 50', {}, {}, 'consistent'],
    ['one more than there is', { remaining: 29 }, {}, 'gate-mismatch'],
    ['one less than there is', { remaining: 27 }, {}, 'gate-mismatch'],
    ['a value that is not a number', { remaining: Number.NaN }, {}, 'gate-mismatch'],
    [
      'one ended order, its stock not back at the gate yet',
      { remaining: 28 },
      { sold: 19, openOrders: 19, compensations: 1 },
      'consistent',
    ],
    [
      'one ended order, its stock back already',
      { remaining: 29 },
      { sold: 19, openOrders: 19, compensations: 1 },
      'consistent',
    ],
    [
      'one ended order, and two pieces too many',
      { remaining: 30 },
      { sold: 19, openOrders: 19, compensations: 1 },
      'gate-mismatch',
    ],
    ['one refused entry, released or not', { remaining: 27 }, { refused: 1 }, 'consistent'],
    ['one refused entry, and two pieces too few', { remaining: 26 }, { refused: 1 }, 'gate-mismatch'],
    ['a gate without state, or one that changes while it is read', undefined, {}, 'inconclusive'],
    ['a gate of another generation', { generation: 1, remaining: 0 }, {}, 'inconclusive'],
    ['a gate that has not applied a change yet', { revision: 0, remaining: 0 }, {}, 'inconclusive'],
    ['a gate that is older than the ledger', { sequence: 19, remaining: 0 }, {}, 'inconclusive'],
    ['an outbox too long to list', { orderIds: undefined, remaining: 0 }, {}, 'inconclusive'],
    ['a sale that is over', { remaining: 0 }, { hasEnded: true }, 'inconclusive'],
    ['more sold than there is', {}, { sold: 51, openOrders: 51 }, 'ledger-mismatch'],
    ['more sold than there is, and no gate', undefined, { sold: 51, openOrders: 51 }, 'ledger-mismatch'],
    ['more counted as sold than orders are open', {}, { openOrders: 19 }, 'ledger-mismatch'],
  ];
  test.each(cases)('%s', (_what, gateOf, ledgerOf, verdict) => {
    const snapshots = { gate: gateOf && { ...gate, ...gateOf }, ledger: { ...ledger, ...ledgerOf } };
    expect(computeAuditVerdict(snapshots).verdict).toBe(verdict);
  });
});
