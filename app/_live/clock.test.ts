import { expect, test } from 'vitest';
import { createServerClock } from './clock';

test('the sample with the least delay sets the clock', () => {
  let elapsed = 0;
  const clock = createServerClock({ now: () => elapsed });
  elapsed = 100; // sent at 5 000, 80 ms on its way
  clock.observe(5_000);
  elapsed = 200; // sent at 5 170, 10 ms on its way
  clock.observe(5_170);
  elapsed = 300; // sent at 5 220, 60 ms on its way
  clock.observe(5_220);
  expect(clock.now()).toBe(5_270);
});

test('a server clock that went back takes over after 16 samples', () => {
  let elapsed = 0;
  const clock = createServerClock({ now: () => elapsed });
  clock.observe(50_000);
  for (let sample = 0; sample < 16; sample += 1) {
    elapsed += 250;
    clock.observe(10_000 + elapsed);
  }
  expect(clock.now()).toBe(14_000);
});
