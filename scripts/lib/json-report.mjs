import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/**
 * Lends a temporary file for a test runner's JSON report.
 *
 * @template T
 * @param {(file: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withReportFile(use) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-report-'));
  try {
    return await use(path.join(folder, 'report.json'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} file
 * @returns {Record<string, any> | undefined} Undefined when the runner ended before it wrote one.
 */
export function readJsonReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
