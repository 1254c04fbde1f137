import { deepEqual } from 'node:assert/strict';
import { TRPCError } from '@trpc/server';
import * as after from './after.js';
import * as before from './before.js';

for (const { greet, close } of [before, after]) {
  const answers: string[] = [];
  for (const user of ['ada', 'ada', 'ada', 'ada', 'bob']) {
    const refused = (error: unknown) =>
      error instanceof TRPCError ? `${error.code} ${error.message}` : 'failed';
    answers.push(await greet(user).catch(refused));
  }
  const hello = 'Hello.';
  deepEqual(answers, [hello, hello, hello, 'TOO_MANY_REQUESTS Too many greetings.', hello]);
  await close();
}
