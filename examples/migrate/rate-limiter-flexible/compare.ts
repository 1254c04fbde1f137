import { deepEqual } from 'node:assert/strict';
import * as after from './after.js';
import * as before from './before.js';

for (const { mayExport, empty, close } of [before, after]) {
  const outcomes: boolean[] = [];
  for (const tens of [3, 7, 1]) outcomes.push(await mayExport('ada', tens));
  outcomes.push(await mayExport('bob', 1));
  await empty('ada');
  outcomes.push(await mayExport('ada', 10));
  deepEqual(outcomes, [true, true, false, true, true]);
  await close();
}
