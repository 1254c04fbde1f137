import { digits } from '../report/numbers.mjs';
import { table } from '../report/table.mjs';
import { maxDecisionsPerKey, maxNodes, maxStoreCalls, PLANNED, planLeases } from './capacity.mjs';
import { readInputs } from './inputs.mjs';

/** The global window of the sale. */
const sale = { limit: 100, windowMs: 10_000 };
/** A window that may be too large for one key. */
const large = { limit: 1_000_000, windowMs: 10_000, leaseMs: 500, idle: 0.05 };
const CALLS_OF_A_NODE = 10_000;
const HOURS_OF_A_MONTH = 730;
const SUBJECTS = 100_000_000;
const VIEWERS = 1_000_000;

/**
 * Writes the last section of docs/scale.md: its formulas with the numbers of docs/benchmarks.md.
 *
 * @param {unknown} results  The file of results.
 * @returns {string | undefined}  `undefined` if a figure is missing.
 */
export function describeScale(results) {
  const inputs = readInputs(results);
  if (!inputs) return undefined;
  const { redisUs, redisAloneUs, redisOneLevelUs, bareUs, refusedUs, admittedUs } = inputs;
  const share = planLeases({ ...large, nodes: 100 });
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

**One key** handles ${PLANNED} s ÷ *d* = ${digits(maxDecisionsPerKey(redisUs))} decisions in a second; ${digits(maxDecisionsPerKey(redisAloneUs))} without batches. A policy of one
level has sixteen shards: ${digits(16 * maxDecisionsPerKey(redisOneLevelUs))} on sixteen masters.

**A flood on the sale** (100 in 10 s, ${digits(CALLS_OF_A_NODE)} calls a second at each node):

${table(
  ['nodes', 'calls/s', 'that reach Redis, at most', 'share', 'Redis, of a core'],
  [10, 100, 1_000].map((nodes) => {
    const calls = nodes * CALLS_OF_A_NODE;
    const sent = maxStoreCalls({ ...sale, nodes });
    return [
      digits(nodes).replace('.0', ''),
      digits(calls),
      digits(sent),
      `${digits((100 * sent) / calls)} %`,
      digits((sent * redisUs) / 1e6),
    ];
  }),
)}

One key supports the probes of ${digits(maxNodes({ ...sale, redisUs }))} nodes.

**A million in 10 s, leased** to 100 nodes for 0.5 s with at most 5 % idle: ${digits(share.share)} units at a time, ${digits(share.leasesPerSecond)} leases a
second (${digits((share.leasesPerSecond * redisUs) / 1e6)} of a core, if a lease costs as much as a decision), ${digits(share.usablePerSecond)} calls a second
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

/** Price of m7g.large: 2 cores, 0.0816 USD an hour. docs/scale.md has the source. */
const PRICE = { coreHour: 0.0408 };

/** @param {number} us */
function perCore(us) {
  return digits((PLANNED * 1e6) / us);
}
