import { loadLimiter } from './bundles.mjs';

/**
 * A client as the product makes it: all who take an ioredis client get the same.
 *
 * @param {string} redisUrl
 */
export async function connect(redisUrl) {
  const { connectRedis } = await loadLimiter('together');
  const client = await connectRedis([redisUrl], (error) => console.error(error));
  if ('nodes' in client) throw new TypeError('the benchmark runs on one Redis');
  return { client, stop: async () => client.disconnect() };
}
