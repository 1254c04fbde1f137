import { loadLimiter } from './bundles.mjs';

/**
 * Creates a client with the product's options, for every contender on ioredis.
 *
 * @param {string} redisUrl
 */
export async function connect(redisUrl) {
  const { connectRedis } = await loadLimiter('together');
  const client = await connectRedis([redisUrl], (error) => console.error(error));
  if ('nodes' in client) throw new TypeError('the benchmark runs on one Redis');
  return { client, stop: async () => client.disconnect() };
}
