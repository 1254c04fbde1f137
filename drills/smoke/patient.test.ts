import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { StepError } from '../../scripts/lib/steps.mjs';
import { callPatiently, runAndUndo } from './patient';

const fail = (message: string) => () => Promise.reject(new StepError(message));

test('a failure to undo does not hide the failure of the work', async () => {
  const undo = { name: 'close the sale', undo: fail('no answer') };
  const failedUndo = 'The step "close the sale" failed: no answer';
  await expect(runAndUndo(fail('no stock'), undo)).rejects.toThrow(`no stock\n${failedUndo}`);
  await expect(runAndUndo(async () => 1, undo)).rejects.toThrow(failedUndo);
});

test('a refused call and one without a database are repeated, and no other', async () => {
  const codes = ['SERVICE_UNAVAILABLE', 'TOO_MANY_REQUESTS', 'FORBIDDEN', 'unused'];
  const call = () => {
    const code = codes.shift() ?? '';
    return Promise.reject(TRPCClientError.from({ error: { message: code, code: -1, data: { code } } }));
  };
  await expect(callPatiently(call)).rejects.toThrow('FORBIDDEN');
  expect(codes).toEqual(['unused']);
});
