import { sha1 } from '@noble/hashes/legacy';
import { bytesToHex } from '@noble/hashes/utils';
import type { FunctionHost } from './lua-function';
import type { ScriptHost } from './lua-scripts';
import { replyCodeOf } from './store-error';

/** Sends a command once; `key` is its first key. Rejects with an error reply, and if there is no reply. */
export type SendWords = (words: string[], key: string | undefined) => Promise<unknown>;

/** Creates a host of scripts for a client that sends any command by its words. */
export function createScriptHost(sendWords: SendWords): ScriptHost {
  const host: ScriptHost = {
    defineCommand(name, { lua }) {
      const hash = bytesToHex(sha1(lua));
      Reflect.set(host, name, async (keyCount: number, ...keysAndArgs: (string | number)[]) => {
        const rest = [keyCount, ...keysAndArgs].map(String);
        const key = keyCount > 0 ? rest[1] : undefined;
        try {
          return await sendWords(['EVALSHA', hash, ...rest], key);
        } catch (error) {
          if (replyCodeOf(error) !== 'NOSCRIPT') throw error;
          return sendWords(['EVAL', lua, ...rest], key);
        }
      });
    },
  };
  return host;
}

/** Creates a host of scripts and functions for a client that sends any command by its words. */
export function createCommandHost(sendWords: SendWords): FunctionHost {
  return Object.assign(createScriptHost(sendWords), {
    fcall: (name: string, keyCount: number, ...keysAndArgs: (string | number)[]) => {
      const rest = [keyCount, ...keysAndArgs].map(String);
      return sendWords(['FCALL', name, ...rest], keyCount > 0 ? rest[1] : undefined);
    },
    function: (...words: string[]) => sendWords(['FUNCTION', ...words], undefined),
  });
}
