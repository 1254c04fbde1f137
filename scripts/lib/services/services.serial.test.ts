import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeTempFolder } from '../../../test/services/temp-folder';
import { keepServiceRunning, type Service, stopServices } from './spawn-service.mjs';
import { startEmbeddedRedis, startNativeRedis } from './start-services.mjs';

test('the embedded Redis replies to a hundred consecutive commands far faster than with its own timer', async () => {
  const folder = await makeTempFolder('embedded-redis');
  onTestFinished(folder.remove);
  const service = await startEmbeddedRedis({ dir: folder.dir });
  onTestFinished(service.stop);
  const client = new Redis(service.url);
  onTestFinished(() => client.disconnect());
  await client.ping();
  const startedAt = performance.now();
  for (let count = 0; count < 100; count += 1) await client.hset('hash', 'field', count);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

// It ends with `stopServices`, after which this process starts no service.
test('a Redis that is killed twice restarts on its port with its data, and not after a stop', async () => {
  const folder = await makeTempFolder('kept-redis');
  onTestFinished(folder.remove);
  const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const started: Service[] = [];
  const { url } = await keepServiceRunning('redis', async (port) => {
    const service = await startNativeRedis({ dir: folder.dir, port, appendonly: true });
    started.push(service);
    return service;
  });
  onTestFinished(stopServices);
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
  onTestFinished(() => client.disconnect());
  client.on('error', () => undefined);
  await client.set('kept', 'yes');

  for (const count of [1, 2]) {
    process.kill(started.at(-1)?.pid ?? 0, 'SIGKILL');
    await vi.waitUntil(() => started.length > count, { timeout: 10_000 });
    expect(started.at(-1)?.url).toBe(url);
    expect(await client.get('kept')).toBe('yes');
  }
  expect(reported.mock.calls).toEqual(
    [1, 2].map(() => [`redis exited unexpectedly, restarting it on port ${started[0]?.port}`]),
  );

  await stopServices();
  expect(() => process.kill(started.at(-1)?.pid ?? 0, 0)).toThrow('ESRCH');
  expect(started).toHaveLength(3);
});
