import process from 'node:process';
import { expect, test } from 'vitest';
import { startTestLab } from '../../../test/lab';
import { startEmptyRedis } from '../../../test/services/empty-redis';

/** Measures the longest time of the processor between two ticks, which other programs of the machine do not lengthen. */
function watchTicks(): { stop(): number } {
  let longestMs = 0;
  let before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    before = process.cpuUsage();
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return longestMs;
    },
  };
}

test('an examination occupies its node for less than 20 ms at a time', async () => {
  const service = await startEmptyRedis();
  const lab = await startTestLab(service.url);
  try {
    // The first one compiles the code.
    await lab.examine({ limiter: 'bucket-script' });
    const ticks = watchTicks();
    await lab.examine({ limiter: 'sliding-log' });
    expect(ticks.stop()).toBeLessThan(20);
  } finally {
    await lab.stop();
    await service.stop();
  }
});
