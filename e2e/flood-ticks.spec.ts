import type { CDPSession } from '@playwright/test';
import { startFloodFeed } from '../test/flood-feed';
import { expect, test } from './fixtures';
import { salePage } from './sale-page';

const TICKS = 40;
const TICK_MS = 250;

test.use({ contextOptions: { reducedMotion: 'no-preference' } });

test('an event of a flood takes few frames and little of the main thread, while 200 tickets wait', async ({
  page,
  demoUrl,
}) => {
  const feed = await startFloodFeed(demoUrl, { waiting: 200 });
  try {
    await page.goto(feed.url);
    const { everyone } = salePage(page);
    await expect(everyone).toHaveAttribute('aria-valuenow', '200');
    await expect(everyone).toHaveAttribute('aria-valuetext', /200 in the queue/);

    const devtools = await page.context().newCDPSession(page);
    let events = 0;
    devtools.on('Network.eventSourceMessageReceived', () => {
      events += 1;
    });
    await devtools.send('Network.enable');
    // The CPU time of the thread, so that other processes of the machine do not count.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    // The first events load code and draw everything once.
    await expect.poll(() => events).toBeGreaterThan(8);
    const before = { events, ...(await readMetrics(devtools)) };
    await expect.poll(() => events).toBeGreaterThanOrEqual(before.events + TICKS);
    const after = { events, ...(await readMetrics(devtools)) };
    const ticks = after.events - before.events;

    const share = (after.TaskDuration - before.TaskDuration) / ((ticks * TICK_MS) / 1_000);
    test.info().annotations.push({ type: 'busy', description: `${(share * 100).toFixed(1)} %` });
    expect(share, 'CPU share of the main thread').toBeLessThan(0.12);
    expect((after.RecalcStyleCount - before.RecalcStyleCount) / ticks, 'frames per event').toBeLessThan(8);
    expect((after.LayoutCount - before.LayoutCount) / ticks, 'layouts per event').toBeLessThan(2.5);
  } finally {
    feed.stop();
  }
});

async function readMetrics(devtools: CDPSession) {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const readMetric = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return {
    TaskDuration: readMetric('TaskDuration'),
    RecalcStyleCount: readMetric('RecalcStyleCount'),
    LayoutCount: readMetric('LayoutCount'),
  };
}
