/**
 * The measured inputs of docs/scale.md: medians.
 *
 * @typedef {object} Inputs
 * @property {number} redisUs  CPU of Redis for a decision of two levels, in batches.
 * @property {number} redisAloneUs  The same, each in its own script call.
 * @property {number} redisOneLevelUs  A decision of one level, in batches.
 * @property {number} bareUs  CPU of a node for a bare answer over HTTP…
 * @property {number} refusedUs  …for a cached refusal…
 * @property {number} admittedUs  …and for an admitted call.
 * @property {number} logBytes  Memory of Redis for a subject with 100 hits in a log…
 * @property {number} fixedBytes  …and in a fixed window.
 * @property {number} viewerShare  Share of a core for 500 live viewers.
 * @property {number} viewerBytes  Bytes for each viewer and second.
 * @property {number} ledgerRows  Rows of the ledger on Postgres in a second.
 */

/**
 * @param {any} results  The results file: JSON of this or an earlier version.
 * @returns {Inputs | undefined}  `undefined` if a figure has not been measured.
 */
export function readInputs({ decisions, memory, http, viewers, ledger }) {
  if (!(decisions && memory && http && viewers && ledger)) return undefined;
  const decision = (/** @type {string} */ name, /** @type {string} */ contender) =>
    one(one(decisions.data, { name }).rows, { contender, inFlight: 64 }).redisUs.median;
  const answer = (/** @type {string} */ name) => one(http.data.rows, { name }).cpuUs.median;
  return {
    redisUs: decision('two-levels', 'together'),
    redisAloneUs: decision('two-levels', 'log'),
    redisOneLevelUs: decision('spread', 'together'),
    bareUs: http.data.bare.cpuUs.median,
    refusedUs: answer('refused'),
    admittedUs: answer('admitted'),
    logBytes: one(memory.data, { name: 'log' }).bytes[1],
    fixedBytes: one(memory.data, { name: 'fixed' }).bytes[1],
    viewerShare: one(viewers.data, { viewers: 500 }).share.median,
    viewerBytes: one(viewers.data, { viewers: 500 }).bytes.median,
    ledgerRows: one(ledger.data, { database: 'Postgres' }).perSecond.median,
  };
}

/**
 * @param {any[]} rows
 * @param {Record<string, unknown>} wanted
 */
function one(rows, wanted) {
  const found = rows.find((row) => Object.entries(wanted).every(([name, value]) => row[name] === value));
  if (!found) throw new RangeError(`no row with ${JSON.stringify(wanted)} among the results`);
  return found;
}
