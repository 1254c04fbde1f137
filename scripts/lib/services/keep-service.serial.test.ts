import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeTempFolder } from '../../../test/services/temp-folder';
import { keepServiceRunning, type Service, stopServices } from './spawn-service.mjs';
import { startNativeRedis } from './start-services.mjs';

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
