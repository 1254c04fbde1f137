import { defineScript } from '../lua-scripts';
import { decideScripts } from './codec';
import { type FunctionHost, functionName } from './lua-function';
import { withinStoreTimeout } from './store-timeout';

/** The libraries of `decide.lua` that Redis holds: one of each release that changed it. */
export interface FunctionLibraries {
  /**
   * Reports the libraries of this release as used, and deletes those that no node has used for a day. Returns the names of
   * the deleted ones; none where Redis knows no functions. Throws `StoreUnavailableError`.
   */
  deleteUnused(): Promise<string[]>;
}

export interface FunctionLibrariesOptions {
  redis: FunctionHost;
  /** Epoch ms in place of the store's own clock, for tests. Default: the store's clock. */
  clock?: () => number;
  /** Names of the libraries that are in use. Default: those of this release. */
  used?: readonly string[];
}

/** Hash: library → epoch ms of its last use. All users of one Redis share it, whatever their prefix: they share libraries. */
const USES_KEY = 'floodgate:{functions}:uses';
/** Longer than a rolling release takes. A library that a node still needs is loaded again by its next call. */
const UNUSED_MS = 24 * 60 * 60 * 1000;
/** No call waits for this. */
const TIMEOUT_MS = 5_000;

/** Every name that a release has given. */
const LIBRARY_NAME = /^floodgateDecide(?:Reference)?_[0-9a-f]{12}$/;
const LIBRARY_PATTERN = 'floodgateDecide*';

export function createFunctionLibraries({
  redis,
  clock,
  used = Object.values(decideScripts).map(functionName),
}: FunctionLibrariesOptions): FunctionLibraries {
  const runUnused = defineScript(redis, {
    command: 'floodgateUnusedLibraries',
    file: 'limiter/unused-libraries.lua',
    numberOfKeys: 1,
  });

  async function librariesOf(node: FunctionHost): Promise<string[]> {
    const listed = await withinStoreTimeout(listLibraries(node), TIMEOUT_MS);
    return listed.filter((name) => LIBRARY_NAME.test(name));
  }

  return {
    async deleteUnused() {
      // Functions belong to each master of a cluster.
      const masters = redis.nodes?.('master') ?? [redis];
      const held = await Promise.all(
        masters.map(async (master) => ({ master, libraries: await librariesOf(master) })),
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

/** The names of the libraries of one Redis that begin like ours; none where it knows no functions. */
async function listLibraries(node: FunctionHost): Promise<string[]> {
  try {
    const listed = await node.function?.('LIST', 'LIBRARYNAME', LIBRARY_PATTERN);
    if (!Array.isArray(listed)) return [];
    return listed.map((library: unknown[]) => String(library[library.indexOf('library_name') + 1]));
  } catch (error) {
    if (error instanceof Error && /^ERR unknown command/i.test(error.message)) return [];
    throw error;
  }
}

/** Another node may have deleted it first. */
async function deleteLibrary(node: FunctionHost, name: string): Promise<void> {
  try {
    await node.function?.('DELETE', name);
  } catch (error) {
    if (!(error instanceof Error && /library not found/i.test(error.message))) throw error;
  }
}
