/**
 * `npm run package`: builds the limiter as an npm package in dist/package and packs it. `--check` builds it elsewhere and
 * checks it. `--client` (`npm run package:client`) packs the types of the procedures for `@trpc/client` in dist/client.
 */
import { buildClientPackage } from './lib/client-package';
import { buildPackage, checkPackage } from './lib/limiter-package';
import { installPackages } from './lib/packages.mjs';
import { runScript } from './lib/script.mjs';

await runScript(async (steps) => {
  if (process.argv.includes('--check')) return console.log(await checkPackage());
  await steps.run('packages', installPackages);
  const build = process.argv.includes('--client') ? buildClientPackage : () => buildPackage();
  console.log(await build());
});
