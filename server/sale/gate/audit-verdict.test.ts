import { describe, expect, test } from 'vitest';
import { computeAuditVerdict, type GateSnapshot, type LedgerSnapshot } from './audit-verdict';

/** 50 in all: 20 sold, 3 of which still wait in the outbox with 2 that are not written; 28 left. */
const gate: GateSnapshot = {
  ...{ generation: 2, sequence: 22, revision: 1, remaining: 28 },
  orderIds: ['a', 'b', 'c', 'd', 'e'],
};
const ledger: LedgerSnapshot = {
  ...{ stock: 50, sold: 20, generation: 2, sequence: 20, revision: 1, isOver: false },
  ...{ openOrders: 20, owed: 0, written: 3, refused: 0 },
};

describe('remaining + reserved + sold = total', () => {
  const cases: [
    what: string,
    gate: Partial<GateSnapshot> | undefined,
    ledger: Partial<LedgerSnapshot>,
    verdict: string,
  ][] = [
    ['28 + 2 + 20 = 50', {}, {}, 'even'],
    ['one more than there is', { remaining: 29 }, {}, 'gate'],
    ['one less than there is', { remaining: 27 }, {}, 'gate'],
    ['nothing that is a number', { remaining: Number.NaN }, {}, 'gate'],
    [
      'one ended order, its stock not back at the gate yet',
      { remaining: 28 },
      { sold: 19, openOrders: 19, owed: 1 },
      'even',
    ],
    [
      'one ended order, its stock back already',
      { remaining: 29 },
      { sold: 19, openOrders: 19, owed: 1 },
      'even',
    ],
    [
      'one ended order, and two pieces too many',
      { remaining: 30 },
      { sold: 19, openOrders: 19, owed: 1 },
      'gate',
    ],
    ['one refused entry, released or not', { remaining: 27 }, { refused: 1 }, 'even'],
    ['one refused entry, and two pieces too few', { remaining: 26 }, { refused: 1 }, 'gate'],
    ['a gate without state, or one that does not stand still', undefined, {}, 'unsettled'],
    ['a gate of another generation', { generation: 1, remaining: 0 }, {}, 'unsettled'],
    ['a gate that has yet to take a change', { revision: 0, remaining: 0 }, {}, 'unsettled'],
    ['a gate that is older than the ledger has seen', { sequence: 19, remaining: 0 }, {}, 'unsettled'],
    ['an outbox too long to be told', { orderIds: undefined, remaining: 0 }, {}, 'unsettled'],
    ['a sale that is over', { remaining: 0 }, { isOver: true }, 'unsettled'],
    ['more sold than there is', {}, { sold: 51, openOrders: 51 }, 'ledger'],
    ['more sold than there is, and no gate', undefined, { sold: 51, openOrders: 51 }, 'ledger'],
    ['more counted as sold than orders are open', {}, { openOrders: 19 }, 'ledger'],
  ];
  test.each(cases)('%s', (_what, gateOf, ledgerOf, verdict) => {
    const look = { gate: gateOf && { ...gate, ...gateOf }, ledger: { ...ledger, ...ledgerOf } };
    expect(computeAuditVerdict(look).verdict).toBe(verdict);
  });
});
