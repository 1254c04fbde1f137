import { sha1 } from '@noble/hashes/legacy';
import { bytesToHex } from '@noble/hashes/utils';
import type { FunctionHost } from './lua-function';
import { replyCodeOf } from './store-error';

/** Sends a command once; `key` is its first key. Rejects with an error reply, and if there is no reply. */
export type SendWords = (words: string[], key: string | undefined) => Promise<unknown>;

/** Creates a host for a client that sends any command by its words. */
export function createCommandHost(sendWords: SendWords): FunctionHost {
  const send = (words: readonly (string | number)[], key?: string) => sendWords(words.map(String), key);
  const host: FunctionHost = {
    defineCommand(name, { lua }) {
      const hash = bytesToHex(sha1(lua));
      Reflect.set(host, name, async (keyCount: number, ...keysAndArgs: (string | number)[]) => {
        const rest = [keyCount, ...keysAndArgs];
        const key = keyCount > 0 ? String(keysAndArgs[0]) : undefined;
        try {
          return await send(['EVALSHA', hash, ...rest], key);
        } catch (error) {
          if (replyCodeOf(error) !== 'NOSCRIPT') throw error;
          return send(['EVAL', lua, ...rest], key);
        }
      });
    },
    fcall: (name, keyCount, ...keysAndArgs) =>
      send(['FCALL', name, keyCount, ...keysAndArgs], keyCount > 0 ? String(keysAndArgs[0]) : undefined),
    function: (...args: string[]) => send(['FUNCTION', ...args]),
  };
  return host;
}
