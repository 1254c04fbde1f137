/** Sends requests at once, whose limit must be exact, and then more than the calls in flight at a time. */
import assert from 'node:assert/strict';

const statuses = async (path, count) => {
  const responses = Array.from({ length: count }, () => fetch(`${process.env.URL}${path}`));
  return (await Promise.all(responses)).map(({ status }) => status).sort();
};

const ten = (status) => Array(10).fill(status);
assert.deepEqual(await statuses('/search', 20), [...ten(200), ...ten(429)]);
for (let round = 0; round < 5; round += 1) assert.deepEqual(await statuses('/report', 3), [200, 200, 200]);
