import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/**
 * Creates a temporary file for the JSON report of a test runner, and deletes it after `use`.
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
 * @returns {Record<string, any> | undefined} Undefined if the runner ended before it wrote the report.
 */
export function readJsonReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
