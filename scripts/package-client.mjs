/** `npm run package:client`: packs the types of the procedures for `@trpc/client` in dist/client. */
import { loadEnvFileWithoutSettings } from './lib/env-file.mjs';
import { buildClientPackage } from './lib/package/build-client-package.mjs';
import { repoRoot } from './lib/repo-root.mjs';

process.chdir(repoRoot);
loadEnvFileWithoutSettings();
console.log(await buildClientPackage());
