import { loadServer } from '../run/load-server.mjs';

/**
 * A server that gets the clicks of shoppers.
 *
 * @typedef {object} Served
 * @property {(calls: number, cookies: readonly string[]) => Promise<import('../run/load-server.mjs').Cost>} cost  Sends
 *   calls. Throws if an answer has another status than expected.
 * @property {readonly string[]} cookies  The cookies of this server's shoppers.
 * @property {(calls: number, cookies: readonly string[]) => Promise<void>} warm  Sends calls and ignores the status.
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} file
 * @param {string[]} args
 * @param {{ status: number }} expected  The status of every measured answer.
 * @returns {Promise<Served>}
 */
export async function serve(file, args, { status }) {
  const server = await loadServer(file, args, { execArgv: ['--enable-source-maps'] });
  const { port, cookies = [] } = server.ready;

  /** @param {readonly string[]} cookies */
  const clicksOf = (cookies) => {
    let sent = 0;
    return () => createClick(cookies[sent++ % cookies.length] ?? '', port);
  };

  return {
    cookies,
    warm: (calls, cookies) => server.warm(calls, clicksOf(cookies)),
    cost: (calls, cookies) => server.cost(calls, clicksOf(cookies), status),
    stop: server.stop,
  };
}

/**
 * Creates a click on the sale as a browser sends it.
 *
 * @param {string} cookie
 * @param {number} port
 * @returns {import('../run/load-server.mjs').Call}
 */
function createClick(cookie, port) {
  const body = '{"couponId":"c"}';
  return {
    method: 'POST',
    path: '/api/trpc/coupon.seckill',
    headers: {
      accept: '*/*',
      'accept-language': 'en-GB,en;q=0.9',
      'content-length': body.length,
      'content-type': 'application/json',
      cookie,
      origin: `http://127.0.0.1:${port}`,
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
    },
    body,
  };
}
