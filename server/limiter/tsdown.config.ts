import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig, type UserConfig } from 'tsdown';

const lua = new URL('../../lua/', import.meta.url);

/** Reads the scripts of the limiter and what they include, by their paths below `lua/`. */
function readLuaFiles(): Record<string, string> {
  const names = ['limiter', 'lib'].flatMap((folder) =>
    readdirSync(new URL(folder, lua)).map((name) => `${folder}/${name}`),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, lua), 'utf8')]));
}

const entriesIn = (folder: string, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, `${folder}/${name}.ts`]));

const common = { cwd: import.meta.dirname, report: false };

/** The command of the package. No entry point imports it. */
const command: UserConfig = { ...common, entry: { examine: 'examine/main.ts' }, dts: false, clean: false };

const library: UserConfig = {
  ...common,
  entry: {
    index: 'index.ts',
    stores: 'stores/index.ts',
    ioredis: 'stores/connect-ioredis.ts',
    'node-redis': 'stores/connect-node-redis.ts',
    // Files of their own, so that a bundler takes only the stores that a program uses.
    ...entriesIn('stores', ['ioredis-store', 'memory-store', 'node-redis-store']),
    rest: 'stores/rest-store.ts',
    queues: 'queue/index.ts',
    ...entriesIn('adapters', ['trpc', 'express', 'fastify', 'hono', 'fetch', 'http', 'metrics']),
  },
  format: ['esm', 'cjs'],
  dts: true,
  checks: { legacyCjs: false },
  plugins: [
    {
      name: 'inline-lua',
      load: {
        filter: { id: /[\\/]lua-files\.ts$/ },
        handler: () => `
          const files = ${JSON.stringify(readLuaFiles())};
          export const readLuaFile = (file) => files[file];
          export const listLuaFiles = () => Object.keys(files);
        `,
      },
    },
  ],
};

export default defineConfig([library, command]);
