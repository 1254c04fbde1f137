import { type FunctionHost, functionName, isUnsupported } from './lua-function';
import { defineScript } from './lua-scripts';
import { decideScript, joinScript, serveScript } from './redis-store';
import { replyCodeOf } from './store-error';
import { withinStoreTimeout } from './store-timeout';

/** The function libraries of decide.lua, queue-join.lua and queue-serve.lua in Redis: one of each for each release that changed the script. */
export interface FunctionLibraries {
  /**
   * Reports the library of this release as used, and deletes those that no node has used for a day. Returns the names of
   * the deleted ones; none if Redis does not support functions. Throws `StoreUnavailableError`.
   */
  deleteUnused(): Promise<string[]>;
}

/** Hash: library → epoch ms of its last use. It has no prefix, because all users of one Redis share the libraries. */
const USES_KEY = 'floodgate:{functions}:uses';
/** Longer than a rolling release takes. A node that still needs a deleted library loads it with its next call. */
const UNUSED_MS = 24 * 60 * 60 * 1000;
/** Long, because no call waits for it. */
const TIMEOUT_MS = 5_000;

/** The library names of all releases. */
const LIBRARY_NAME = /^floodgate(?:Decide|Queue(?:Join|Serve))_[0-9a-f]{12}$/;
const LIBRARY_PATTERN = 'floodgate*';

/** Tracks the use of libraries in a Redis hash that all nodes share. Timeout per command: 5 s. */
export function createFunctionLibraries(options: {
  redis: FunctionHost;
  /** Returns epoch ms to use instead of the store's clock, for tests. Default: the store's clock. */
  clock?: () => number;
  /** Names of the libraries that are in use. Default: the libraries of this release. */
  used?: readonly string[];
}): FunctionLibraries {
  const { redis, clock, used = [decideScript, joinScript, serveScript].map(functionName) } = options;
  const runUnused = defineScript(redis, {
    command: 'floodgateUnusedLibraries',
    file: 'limiter/unused-libraries.lua',
    numberOfKeys: 1,
  });

  return {
    async deleteUnused() {
      // Functions belong to each master of a cluster.
      const masters = redis.nodes?.('master') ?? [redis];
      const held = await Promise.all(
        masters.map(async (master) => ({
          master,
          libraries: await withinStoreTimeout(listLibraries(master), TIMEOUT_MS),
        })),
      );
      const all = [...new Set(held.flatMap(({ libraries }) => libraries))];
      const args = [clock?.() ?? '', UNUSED_MS, used.length, ...used, ...all];
      const unused = (await withinStoreTimeout(runUnused([USES_KEY], args), TIMEOUT_MS)) as string[];
      await Promise.all(
        held.flatMap(({ master, libraries }) =>
          libraries.filter((name) => unused.includes(name)).map((name) => deleteLibrary(master, name)),
        ),
      );
      return unused;
    },
  };
}

/** Returns the names of the limiter's libraries on one master; none without support for functions. */
async function listLibraries(node: FunctionHost): Promise<string[]> {
  try {
    const listed = await node.function?.('LIST', 'LIBRARYNAME', LIBRARY_PATTERN);
    if (!Array.isArray(listed)) return [];
    const names = listed.map((library: unknown[]) => String(library[library.indexOf('library_name') + 1]));
    return names.filter((name) => LIBRARY_NAME.test(name));
  } catch (error) {
    // Without the right to list them, libraries stay forever.
    if (isUnsupported(error) && replyCodeOf(error) !== 'NOPERM') return [];
    throw error;
  }
}

/** Deletes a library, unless another node has deleted it first. */
async function deleteLibrary(node: FunctionHost, name: string): Promise<void> {
  try {
    await node.function?.('DELETE', name);
  } catch (error) {
    if (!(error instanceof Error && /library not found/i.test(error.message))) throw error;
  }
}
