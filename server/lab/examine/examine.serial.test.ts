import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { startTestLab } from '../../../test/lab';
import { startEmptyRedis } from '../../../test/services/empty-redis';

const NS_PER_MS = 1e6;

test('an examination delays the decisions of its node by less than 20 ms', async () => {
  const service = await startEmptyRedis();
  const lab = await startTestLab(service.url);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  try {
    // The first one compiles the code.
    await lab.examine({ limiter: 'bucket-script' });
    delays.enable();
    await lab.examine({ limiter: 'sliding-log' });
    delays.disable();
    expect(delays.percentile(99) / NS_PER_MS).toBeLessThan(20);
  } finally {
    await lab.stop();
    await service.stop();
  }
});
