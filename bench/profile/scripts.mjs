/**
 * A script to time within Redis: what it is called with changes with each call, so that no window fills up.
 *
 * @typedef {object} TimedScript
 * @property {string} name
 * @property {string} lua
 * @property {(call: number) => { keys: string[], args: (string | number)[] }} call
 * @property {number} decisions  Of one call.
 */

/**
 * @param {{ decide: string }} scripts  Their texts.
 * @returns {readonly TimedScript[]}
 */
export function timedScripts({ decide }) {
  return [
    {
      name: '`return 1`',
      lua: 'return 1',
      decisions: 1,
      call: (call) => ({ keys: [`p:${call % 10_000}`], args: [] }),
    },
    {
      name: '`return 1`, with the arguments of a decision',
      lua: 'return 1',
      decisions: 1,
      call: (call) => decision(['sliding-log'], 1, call),
    },
    {
      name: 'TIME, GET, SET and a reply of 8 numbers',
      lua: `redis.call('TIME') redis.call('GET', KEYS[1]) redis.call('SET', KEYS[1], '0123456789abcdef', 'PX', 10000)
        return { 1, 2, 3, 4, 5, 6, 7, 8 }`,
      decisions: 1,
      call: (call) => decision(['plain'], 1, call),
    },
    {
      name: '`decide.lua`, asked for nothing',
      lua: decide,
      decisions: 1,
      call: () => ({ keys: ['p:none'], args: [2] }),
    },
    ...['fixed-window', 'token-bucket', 'sliding-counter', 'sliding-log'].map((algorithm) => ({
      name: `\`decide.lua\`, one call, ${algorithm}`,
      lua: decide,
      decisions: 1,
      call: (/** @type {number} */ call) => decision([algorithm], 1, call),
    })),
    {
      name: '`decide.lua`, one call, sliding log and token bucket',
      lua: decide,
      decisions: 1,
      call: (call) => decision(['sliding-log', 'token-bucket'], 1, call),
    },
    {
      name: '`decide.lua`, 32 calls, sliding log, each',
      lua: decide,
      decisions: 32,
      call: (call) => decision(['sliding-log'], 32, call),
    },
  ];
}

/**
 * So many calls of one policy, as `server/limiter/coalesce.ts` sends them.
 *
 * @param {readonly string[]} algorithms  Of its levels.
 * @param {number} calls
 * @param {number} turn
 */
function decision(algorithms, calls, turn) {
  const levels = algorithms.flatMap((algorithm, place) => [
    algorithm,
    place === 0 ? 100 : 1_000_000,
    10_000,
    algorithm === 'sliding-counter' ? '{"sub_windows":10}' : '',
  ]);
  const common = ['', 1, 0, '', algorithms.length, ...levels];
  const keys = Array.from({ length: calls }, (_, call) =>
    algorithms.map((algorithm, place) =>
      place === 0 ? `p:{p}:${algorithm}:${(turn * calls + call) % 10_000}` : `p:{p}:${algorithm}:all`,
    ),
  ).flat();
  return { keys, args: [common.length + 2, ...common, ...Array(calls).fill(2)] };
}
