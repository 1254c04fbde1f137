import { deepEqual } from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import * as after from './after.js';
import * as before from './before.js';

for (const { app, close } of [before, after]) {
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/login`;
  const answers: [number, boolean][] = [];
  for (const headers of [{}, {}, { 'x-monitor': '1' }, {}, {}] as Record<string, string>[]) {
    const response = await fetch(url, { headers });
    answers.push([response.status, response.headers.has('retry-after')]);
  }
  const admitted = [200, false];
  deepEqual(answers, [admitted, admitted, admitted, admitted, [429, true]]);
  server.closeAllConnections();
  server.close();
  await close();
}
