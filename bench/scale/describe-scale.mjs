import { digits } from '../report/numbers.mjs';
import { table } from '../report/table.mjs';
import { leased, mostAsked, mostNodes, mostOfOneKey, PLANNED } from './capacity.mjs';
import { inputsOf } from './inputs.mjs';

/** The window that everybody shares in this product. */
const sale = { limit: 100, windowMs: 10_000 };
/** One that a single key might not bear. */
const large = { limit: 1_000_000, windowMs: 10_000, leaseMs: 500, idle: 0.05 };
const CALLS_OF_A_NODE = 10_000;
const HOURS_OF_A_MONTH = 730;
const SUBJECTS = 100_000_000;
const VIEWERS = 1_000_000;

/**
 * The last section of docs/scale.md: its formulas with the numbers of docs/benchmarks.md in them.
 *
 * @param {unknown} results  The file of results.
 * @returns {string | undefined}  `undefined` where a figure is missing.
 */
export function describeScale(results) {
  const inputs = inputsOf(results);
  if (!inputs) return undefined;
  const { redisUs, redisAloneUs, redisOneLevelUs, bareUs, refusedUs, admittedUs } = inputs;
  const share = leased({ ...large, nodes: 100 });
  const flood = 1_000_000;
  const cores = (/** @type {number} */ us) => (flood * us) / (PLANNED * 1e6);
  const perMonth = (/** @type {number} */ count) => count * PRICE.coreHour * HOURS_OF_A_MONTH;
  const fanOut = (VIEWERS / 500) * inputs.viewerShare;
  return `## Worked numbers

Medians of the last \`npm run bench\`, which also wrote this section. [Benchmarks](benchmarks.md) has the load of the machine. A
core is planned to ${PLANNED * 100} %.

${table(
  ['symbol', 'what', 'measured'],
  [
    ['*d*', 'CPU of Redis, a decision of two levels, batched', `${digits(redisUs)} µs`],
    ['', 'the same, each its own script call', `${digits(redisAloneUs)} µs`],
    ['', 'a decision of one level, batched', `${digits(redisOneLevelUs)} µs`],
    ['*r*', 'CPU of a node, a cached refusal over HTTP', `${digits(refusedUs)} µs`],
    ['*a*', 'CPU of a node, an admitted call over HTTP', `${digits(admittedUs)} µs`],
    ['', 'CPU of a bare Node server, `ok`', `${digits(bareUs)} µs`],
    [
      '*b*',
      'Redis, a subject with 100 hits: log; fixed window',
      `${digits(inputs.logBytes)} B; ${digits(inputs.fixedBytes)} B`,
    ],
    [
      '*v*',
      '500 live viewers',
      `${digits(inputs.viewerShare * 100)} % of a core, ${digits(inputs.viewerBytes / 1000)} kB/s each`,
    ],
    ['*w*', 'the ledger on Postgres', `${digits(inputs.ledgerRows)} rows/s`],
  ],
  { text: [1] },
)}

**One core of a node** handles ${perCore(refusedUs)} refusals or ${perCore(admittedUs)} admitted calls in a second.

**One key** handles ${PLANNED} s ÷ *d* = ${digits(mostOfOneKey(redisUs))} decisions in a second; ${digits(mostOfOneKey(redisAloneUs))} without batches. A policy of one
level has sixteen shards: ${digits(16 * mostOfOneKey(redisOneLevelUs))} on sixteen masters.

**A flood on the sale** (100 in 10 s, ${digits(CALLS_OF_A_NODE)} calls a second at each node):

${table(
  ['nodes', 'calls/s', 'that reach Redis, at most', 'share', 'Redis, of a core'],
  [10, 100, 1_000].map((nodes) => {
    const calls = nodes * CALLS_OF_A_NODE;
    const asked = mostAsked({ ...sale, nodes });
    return [
      digits(nodes).replace('.0', ''),
      digits(calls),
      digits(asked),
      `${digits((100 * asked) / calls)} %`,
      digits((asked * redisUs) / 1e6),
    ];
  }),
)}

One key supports the probes of ${digits(mostNodes({ ...sale, redisUs }))} nodes.

**A million in 10 s, leased** to 100 nodes for 0.5 s with at most 5 % idle: ${digits(share.share)} units at a time, ${digits(share.asksPerSecond)} leases a
second (${digits((share.asksPerSecond * redisUs) / 1e6)} of a core, if a lease costs as much as a decision), ${digits(share.usablePerSecond)} calls a second
at the most, ${digits(share.efficiency * 100)} % of the limit. Sent one by one, 100 000 a second would take ${digits((100_000 * redisUs) / 1e6)} of a core.

**Memory**: ${digits(SUBJECTS)} subjects with 100 hits each are ${digits((SUBJECTS * inputs.logBytes) / 1e9)} GB in logs, ${digits((SUBJECTS * inputs.fixedBytes) / 1e9)} GB in fixed windows.

**The ledger** supports one coupon with up to ${digits(inputs.ledgerRows)} orders a second; the sale's 10 are ${digits((10 / inputs.ledgerRows) * 100)} % of it.

**A million viewers** are ${digits(fanOut)} cores and ${digits((VIEWERS * inputs.viewerBytes * 8) / 1e9)} Gbit/s.

**Cost** of a flood of a million calls a second, at ${PRICE.coreHour} USD for an hour of a core:

${table(
  ['calls', 'cores', 'USD a month'],
  [
    ['refused, cached', digits(cores(refusedUs)), digits(perMonth(cores(refusedUs)))],
    ['admitted', digits(cores(admittedUs)), digits(perMonth(cores(admittedUs)))],
    ['`ok` from bare Node', digits(cores(bareUs)), digits(perMonth(cores(bareUs)))],
  ],
)}`;
}

/** m7g.large: 2 cores, 0.0816 USD an hour; docs/scale.md says where that is from. */
const PRICE = { coreHour: 0.0408 };

/** @param {number} us */
function perCore(us) {
  return digits((PLANNED * 1e6) / us);
}
