import { deepEqual } from 'node:assert/strict';
import * as after from './after.js';
import * as before from './before.js';

for (const { answer } of [before, after]) {
  const answers: [number, boolean][] = [];
  for (const user of ['ada', 'ada', 'ada', 'ada', 'bob']) {
    const request = new Request('http://localhost/', { headers: { 'x-user': user } });
    const response = await answer(request);
    answers.push([response.status, response.headers.has('retry-after')]);
  }
  const admitted = [200, false];
  deepEqual(answers, [admitted, admitted, admitted, [429, true], admitted]);
}
