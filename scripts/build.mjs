/**
 * `npm run build`: checks the types and builds for production. It does not build again if the build is up to date.
 * `--no-install` leaves the packages as they are.
 */
import { buildApp, typeCheckArgs } from './lib/build-app.mjs';
import { installPackages } from './lib/packages.mjs';
import { runOrThrow } from './lib/processes.mjs';
import { runScript } from './lib/script.mjs';

await runScript(async (steps) => {
  if (!process.argv.includes('--no-install')) await steps.run('packages', installPackages);
  // Runs before the Next build, which takes half a minute and does not check types.
  await steps.run('types', async () => {
    await runOrThrow(process.execPath, typeCheckArgs(), { problem: 'The types are wrong:' });
  });
  await steps.run('build', buildApp);
});
