import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { findFreePort } from '../ports.mjs';
import { runOrThrow } from '../processes.mjs';
import { StepError } from '../steps.mjs';

const folder = path.join(import.meta.dirname, 'empty-page');
const next = path.resolve('node_modules/next/dist/bin/next');

/**
 * Builds and serves an empty page of the same Next.js while `use` runs. Its blocking time is that of React and Next.js on
 * this machine. It is a separate app, so that the product has no such page.
 *
 * @template T
 * @param {(url: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withEmptyPage(use) {
  await runOrThrow(process.execPath, [next, 'build', folder], {
    env: { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
    problem: 'The empty page cannot be built:',
  });
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [next, 'start', folder, '-p', String(port), '-H', '127.0.0.1'], {
    stdio: 'ignore',
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  try {
    await waitUntilServed(url);
    return await use(url);
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}

/** @param {string} url */
async function waitUntilServed(url) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new StepError('The empty page does not start.');
}
