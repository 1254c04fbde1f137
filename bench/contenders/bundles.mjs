import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleServer } from '../../scripts/lib/bundle.mjs';
import { repoRoot } from '../../scripts/lib/steps.mjs';

const entry = 'bench/contenders/product.ts';
const files = { together: 'dist/bench-together.js', alone: 'dist/bench-alone.js' };

/**
 * Bundles the limiter like `npm run build`, once unchanged and once with `batch-of-one.ts` instead of `batcher.ts`.
 */
export async function bundleLimiter() {
  const alone = path.join(repoRoot, 'bench/contenders/batch-of-one.ts');
  await bundleServer({ entry, outfile: files.together });
  await bundleServer({
    entry,
    outfile: files.alone,
    plugins: [
      {
        name: 'batch-of-one',
        setup(build) {
          build.onResolve({ filter: /^\.\/batcher$/ }, () => ({ path: alone }));
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
