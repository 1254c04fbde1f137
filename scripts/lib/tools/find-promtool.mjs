import { findProgram } from './find-program.mjs';

/** @returns {{ binary: string, libraryPath?: string } | undefined} Prometheus's checker of rules and metrics. */
export function findPromtool() {
  return findProgram(['promtool']);
}
