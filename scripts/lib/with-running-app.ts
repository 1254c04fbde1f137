import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type BrowserContextOptions, type CDPSession, chromium, type Page } from '@playwright/test';
import { buildApp } from './build-app.mjs';
import { startServer } from './lifetime.mjs';
import { installPackages } from './packages.mjs';
import { findFreePort } from './ports.mjs';
import { startAnyRedis, startPgliteService } from './services/start-services.mjs';
import type { Steps } from './steps.mjs';
import { chromiumArgs, findChromium } from './tools.mjs';

/** Installs the packages and builds the app, if that is not done. */
export async function prepareApp(steps: Steps): Promise<void> {
  await steps.run('packages', installPackages);
  await steps.run('build', buildApp);
}

/**
 * Runs the built app in demo mode, on empty databases and free ports, while `use` runs. The app and its databases also
 * end when the script is killed.
 */
export async function withRunningApp<T>(use: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'floodgate-app-'));
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  try {
    const redis = await startAnyRedis({ dir: path.join(folder, 'redis') });
    stops.unshift(redis.stop);
    const postgres = await startPgliteService({ dir: path.join(folder, 'pglite') });
    stops.unshift(postgres.stop);
    const server = await startServer(
      ['--enable-source-maps', 'dist/main.js'],
      {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(await findFreePort()),
        LOG_LEVEL: 'warn',
        SESSION_SECRETS: 'only-for-one-script-only-for-one-script-only-for-one-script',
        FLOODGATE_DEMO: '1',
        FLOODGATE_PGLITE: '1',
        REDIS_URL: redis.url,
        DATABASE_URL: postgres.url,
      },
      { onStep: () => undefined, onSpawn: () => undefined },
    );
    stops.unshift(server.stop);
    return await use(server.url);
  } finally {
    for (const stop of stops) await stop();
  }
}

/** Opens a page in a new browser, with its developer tools, while `use` runs. */
export async function withNewPage<T>(
  options: BrowserContextOptions,
  use: (page: Page, devtools: CDPSession) => Promise<T>,
): Promise<T> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
  try {
    const page = await browser.newPage(options);
    return await use(page, await page.context().newCDPSession(page));
  } finally {
    await browser.close();
  }
}
