import { afterEach, describe, expect, it, vi } from 'vitest';
import { StepError } from './step-error.mjs';
import { createSteps } from './steps.mjs';
import { createTally } from './tally.mjs';

afterEach(() => {
  process.exitCode = undefined;
});

function silence(): { printed: string[] } {
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => printed.push(line));
  return { printed };
}

describe('the sum', () => {
  it('of steps and tests is the last line, and a failure sets the exit code', async () => {
    const { printed } = silence();
    const tally = createTally();
    const steps = createSteps(() => undefined);
    await tally.step(steps, 'format', async () => undefined);
    await tally.step(steps, 'unit', async () => tally.add(7, 1), { countsWhenPassed: false });
    await tally.step(steps, 'types', async () => Promise.reject(new StepError('no')));
    tally.conclude();
    expect(printed.at(-1)).toBe('8 passed, 2 failed');
    expect(process.exitCode).toBe(1);
  });

  it('without a failure leaves exit code 0', () => {
    const { printed } = silence();
    const tally = createTally();
    tally.add(3, 0);
    tally.conclude();
    expect(printed).toEqual(['3 passed, 0 failed']);
    expect(process.exitCode).toBe(0);
  });
});

describe('a step', () => {
  it('that fails prints a cross and the hint, and does not stop other steps', async () => {
    const { printed } = silence();
    const tally = createTally();
    const steps = createSteps((line) => printed.push(line));
    const fails = () => Promise.reject(new StepError('No browser.', { hint: 'Run: install one' }));
    expect(await tally.step(steps, 'chromium', fails)).toBe(false);
    expect(printed).toEqual([expect.stringMatching(/^✗ chromium +0\.0 s$/), 'No browser.\nRun: install one']);
  });
});
