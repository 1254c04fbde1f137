import { existsSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from './find-program.mjs';
import { toolsDir } from './tools-dir.mjs';

/**
 * @returns {{ binary: string, libraryPath?: string, mimeTypes: string } | undefined} nginx and its list of MIME types:
 *   of this system, else from .data/tools, where `npm test` unpacks it.
 */
export function findNginx() {
  const program = findProgram(['nginx']);
  if (!program) return undefined;
  const lists = ['/etc/nginx/mime.types', path.resolve(toolsDir, 'etc/nginx/mime.types')];
  const mimeTypes = lists.find((file) => existsSync(file));
  return mimeTypes === undefined ? undefined : { ...program, mimeTypes };
}
