import { deepEqual } from 'node:assert/strict';
import * as after from './after.js';
import * as before from './before.js';

for (const { app, close } of [before, after]) {
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const answers: [number, boolean][] = [];
  for (const headers of [{}, {}, { 'x-monitor': '1' }, {}, {}] as Record<string, string>[]) {
    const response = await fetch(`${url}/login`, { headers });
    answers.push([response.status, response.headers.has('retry-after')]);
  }
  const admitted = [200, false];
  deepEqual(answers, [admitted, admitted, admitted, admitted, [429, true]]);
  await app.close();
  await close();
}
