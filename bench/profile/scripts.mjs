/**
 * A script to time in Redis. Its arguments change with each call, so that no window fills up.
 *
 * @typedef {object} TimedScript
 * @property {string} name
 * @property {import('../../server/limiter/stores/lua-scripts').RunScript} run
 * @property {(call: number) => { keys: string[], args: (string | number)[] }} call
 * @property {number} decisions  Decisions in one call.
 */

/**
 * @param {object} runners
 * @param {(lua: string) => import('../../server/limiter/stores/lua-scripts').RunScript} runners.script  Any script, by `EVALSHA`.
 * @param {import('../../server/limiter/stores/lua-scripts').RunScript} runners.decide  decide.lua as the limiter runs it, by `FCALL`.
 * @param {import('../../server/limiter/stores/lua-scripts').RunScript} runners.decideAsScript  The same by `EVALSHA`.
 * @returns {readonly TimedScript[]}
 */
export function timedScripts({ script, decide, decideAsScript }) {
  const returnOne = script('return 1');
  const decisions = (/** @type {readonly string[]} */ algorithms) => ({
    decisions: 1,
    call: (/** @type {number} */ call) => createCall(algorithms, 1, call),
  });
  return [
    {
      name: '`return 1`',
      run: returnOne,
      decisions: 1,
      call: (call) => ({ keys: [`p:${call % 10_000}`], args: [] }),
    },
    { name: '`return 1`, with the arguments of a decision', run: returnOne, ...decisions(['sliding-log']) },
    {
      name: 'TIME, GET, SET and a reply of 8 numbers',
      run: script(
        `redis.call('TIME') redis.call('GET', KEYS[1]) redis.call('SET', KEYS[1], '0123456789abcdef', 'PX', 10000)
        return { 1, 2, 3, 4, 5, 6, 7, 8 }`,
      ),
      ...decisions(['plain']),
    },
    ...['fixed-window', 'token-bucket', 'sliding-counter', 'sliding-log'].map((algorithm) => ({
      name: `\`decide.lua\`, one call, ${algorithm}`,
      run: decide,
      ...decisions([algorithm]),
    })),
    {
      name: '`decide.lua`, one call, sliding log, as a script instead of a function',
      run: decideAsScript,
      ...decisions(['sliding-log']),
    },
    {
      name: '`decide.lua`, one call, sliding log and token bucket',
      run: decide,
      ...decisions(['sliding-log', 'token-bucket']),
    },
    {
      name: '`decide.lua`, 32 calls, sliding log, for each',
      run: decide,
      decisions: 32,
      call: (call) => createCall(['sliding-log'], 32, call),
    },
  ];
}

/**
 * Returns the arguments of several calls of one policy, as `server/limiter/decide/batcher.ts` sends them.
 *
 * @param {readonly string[]} algorithms  The algorithms of its levels.
 * @param {number} calls
 * @param {number} index
 */
function createCall(algorithms, calls, index) {
  const levels = algorithms.map(
    (algorithm, level) => `${algorithm} ${level === 0 ? 100 : 1_000_000} 10000 10 enforce 0 0 0`,
  );
  const keys = Array.from({ length: calls }, (_, call) =>
    algorithms.map((algorithm, level) =>
      level === 0 ? `p:{p}:${algorithm}:${(index * calls + call) % 10_000}` : `p:{p}:${algorithm}:all`,
    ),
  ).flat();
  return { keys, args: [`1 0 0 ${levels.join(' ')}`, calls] };
}
