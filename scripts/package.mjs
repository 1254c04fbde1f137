/** `npm run package`: builds the limiter as an npm package in dist/package and packs it. */
import { loadEnvFileWithoutSettings } from './lib/env-file.mjs';
import { buildPackage } from './lib/package/build-package.mjs';
import { repoRoot } from './lib/repo-root.mjs';

process.chdir(repoRoot);
loadEnvFileWithoutSettings();
console.log(await buildPackage());
