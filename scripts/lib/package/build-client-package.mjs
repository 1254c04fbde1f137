import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runOrThrow } from '../run-command.mjs';
import { describeClientTypes } from './client-types.mjs';

const NAME = 'floodgate-client';

const README = `# ${NAME}

The types of Floodgate's procedures, for \`@trpc/client\`. No code.

\`\`\`ts
import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { AppRouter } from '${NAME}';

const client = createTRPCClient<AppRouter>({
  links: [httpBatchLink({ url: 'http://localhost:3000/api/trpc', maxItems: 10 })],
});
const { coupons } = await client.coupon.list.query();
\`\`\`

A refused call throws a \`TRPCClientError<AppRouter>\` whose \`data.rateLimit\` names the level and the time to retry.
`;

/**
 * Packs the types of the procedures. Returns the path of the tarball.
 *
 * @param {string} [folder]
 * @returns {Promise<string>}
 */
export async function buildClientPackage(folder = 'dist/client') {
  const building = `${folder}.building`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const { version, license, devDependencies, dependencies } = JSON.parse(
    await readFile('package.json', 'utf8'),
  );
  const trpc = { ...devDependencies, ...dependencies };
  const manifest = {
    name: NAME,
    version,
    description: 'The types of Floodgate for @trpc/client.',
    license,
    type: 'module',
    files: ['index.d.ts'],
    exports: { '.': { types: './index.d.ts' } },
    types: './index.d.ts',
    peerDependencies: Object.fromEntries(
      ['@trpc/client', '@trpc/server'].map((name) => [name, `^${trpc[name]}`]),
    ),
  };
  await Promise.all([
    writeFile(path.join(building, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`),
    writeFile(path.join(building, 'index.d.ts'), describeClientTypes()),
    writeFile(path.join(building, 'README.md'), README),
    cp('LICENSE', path.join(building, 'LICENSE')),
  ]);
  await runOrThrow('npm', ['pack', '--pack-destination', '.', '--ignore-scripts'], {
    cwd: building,
    problem: 'The types were not packed:',
    hint: 'Run: npm run package:client',
  });
  await rm(folder, { recursive: true, force: true });
  await rename(building, folder);
  return path.join(folder, `${NAME}-${version}.tgz`);
}
