import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { buildClientPackage } from '../scripts/lib/client-package';
import { runCommand } from '../scripts/lib/processes.mjs';

const repo = fileURLToPath(new URL('..', import.meta.url));

/** A program outside the repository. Each `@ts-expect-error` is an error if the line below has none. */
const program = `
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import type { AppRouter } from 'floodgate-client';

const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: 'http://localhost:3000/api/trpc' })] });
export async function buy(couponId: string): Promise<string> {
  const { coupons } = await client.coupon.list.query();
  const remaining: number | undefined = coupons[0]?.stock?.remaining;
  // @ts-expect-error a coupon has no colour
  coupons[0]?.colour;
  try {
    const answer = await client.coupon.seckill.mutate({ couponId });
    // @ts-expect-error a sold-out coupon has no order
    answer.order;
    return answer.outcome === 'accepted' ? answer.order.id : \`\${answer.outcome} \${remaining}\`;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const { data }: TRPCClientError<AppRouter> = error;
    const retryAfterMs: number | null | undefined = data?.rateLimit?.retryAfterMs;
    return \`again in \${retryAfterMs} ms\`;
  }
}
// @ts-expect-error a mutation is no query
export const wrong = client.coupon.seckill.query;
// @ts-expect-error the id is missing
export const missing = client.coupon.byId.query({});
export const overrides = client.limit.person.list.query;
`;

test('a program compiles against the packed types, which contain no code of the server', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-client-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const tarball = path.resolve(repo, await buildClientPackage(path.join(folder, 'built')));
  const installed = path.join(folder, 'node_modules/floodgate-client');
  await mkdir(installed, { recursive: true });
  await runCommand('tar', ['xzf', tarball, '-C', installed, '--strip-components=1']);
  expect((await readdir(installed)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'index.d.ts',
    'package.json',
  ]);
  await symlink(path.join(repo, 'node_modules/@trpc'), path.join(folder, 'node_modules/@trpc'));

  await writeFile(path.join(folder, 'program.ts'), program);
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  const options = { module: 'nodenext', strict: true, noUncheckedIndexedAccess: true, noEmit: true };
  const compilerOptions = { ...options, lib: ['ES2023', 'DOM'], types: [], skipLibCheck: true };
  await writeFile(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts'] }),
  );
  const tsc = path.join(repo, 'node_modules/typescript-7/bin/tsc');
  expect(await runCommand(process.execPath, [tsc, '-p', folder])).toEqual({ output: '', code: 0 });
}, 120_000);
