import { expect, test } from 'vitest';
import { listStages, readPinnedImages, stageOf } from './base-images';

test('every pinned image has a stand-in, except Grafana', async () => {
  const images = await readPinnedImages();
  expect(images).toContainEqual(expect.stringMatching(/^node:\d+\.\d+\.\d+-/));
  const withoutStandIn = images.map(stageOf).filter((stage) => stage !== 'grafana-grafana');
  expect((await listStages()).sort()).toEqual([...new Set(withoutStandIn)].sort());
});
