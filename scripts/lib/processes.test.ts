import { describe, expect, it } from 'vitest';
import { runCommand, runOrThrow, stopCommands, tail } from './processes.mjs';

describe('a command', () => {
  it('returns its exit code and the output of both streams', async () => {
    const { code, output } = await runCommand('sh', ['-c', 'echo out; echo err >&2; exit 3']);
    expect({ code, lines: output.trim().split('\n').toSorted() }).toEqual({ code: 3, lines: ['err', 'out'] });
  });

  it('that is not installed ends with 127', async () => {
    expect(await runCommand('no-such-command', [])).toMatchObject({ code: 127 });
  });

  it('that fails throws the problem, its output and the hint', async () => {
    const run = runOrThrow('sh', ['-c', 'echo why; exit 3'], { problem: 'It failed:', hint: 'Try again.' });
    await expect(run).rejects.toThrow(/^It failed:\nwhy\nTry again\.$/);
    expect(await runOrThrow('echo', ['done'])).toBe('done\n');
  });

  it('is stopped with its child processes, and its exit code differs from a failure', async () => {
    const running = runCommand('sh', ['-c', 'sleep 60 & wait']);
    await stopCommands();
    expect(await running).toMatchObject({ code: 128 });
  });
});

describe('the tail', () => {
  it('is the last lines', () => {
    expect(tail('a\nb\nc\n', 2)).toBe('b\nc');
  });
});
