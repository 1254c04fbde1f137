import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleServer } from '../../scripts/build/bundle-server.mjs';
import { repoRoot } from '../../scripts/repo-root.mjs';

const entry = 'bench/contenders/product.ts';
const files = { together: 'dist/bench-together.js', alone: 'dist/bench-alone.js' };

/**
 * Bundles the limiter as `npm run build` does, once as it is and once with `ask-alone.ts` in place of `coalesce.ts`.
 */
export async function bundleLimiter() {
  const alone = path.join(repoRoot, 'bench/contenders/ask-alone.ts');
  await bundleServer({ entry, outfile: files.together });
  await bundleServer({
    entry,
    outfile: files.alone,
    plugins: [
      {
        name: 'ask-alone',
        setup(build) {
          build.onResolve({ filter: /^\.\/coalesce$/ }, () => ({ path: alone }));
        },
      },
    ],
  });
}

/**
 * @param {keyof typeof files} variant
 * @returns {Promise<typeof import('./product')>}
 */
export function loadLimiter(variant) {
  return import(pathToFileURL(path.join(repoRoot, files[variant])).href);
}
