/** Sends requests at once, whose limit must be exact, then streams that end and settle with their bodies. */
import assert from 'node:assert/strict';

const statuses = async (path, count) => {
  const responses = Array.from({ length: count }, () => fetch(`${process.env.URL}${path}`));
  const bodies = responses.map(async (response) => (await response).text());
  await Promise.all(bodies);
  return (await Promise.all(responses)).map(({ status }) => status).sort();
};

const ten = (status) => Array(10).fill(status);
for (const path of ['/search', '/search-here'])
  assert.deepEqual(await statuses(path, 20), [...ten(200), ...ten(429)]);
// Each request waits by itself: five a second.
assert.deepEqual(await statuses('/job', 10), ten(200));
// 15 calls of 3 lines fit into 60 lines, if each returns 2 of its 5, and no call stays in flight.
for (let round = 0; round < 5; round += 1) assert.deepEqual(await statuses('/report', 3), [200, 200, 200]);
