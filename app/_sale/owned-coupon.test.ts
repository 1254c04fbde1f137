import { expect, test } from 'vitest';
import { keyframes } from './owned-coupon';

test('a ticket leaves the middle of the picture and arrives in the middle of the link, small and faint', () => {
  const frames = keyframes(
    { left: 100, top: 600, width: 300, height: 80 },
    { left: 10, top: 0, width: 40, height: 20 },
  );
  expect(frames.at(0)).toMatchObject({ transform: expect.stringContaining('translate(250px, 640px)') });
  expect(frames.at(-1)).toMatchObject({
    transform: expect.stringMatching(/translate\(30px, 10px\).*scale\(0\.25\)/),
    opacity: 0.4,
  });
});
