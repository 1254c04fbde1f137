/** A server of one framework with all its limiters: `framework-server.mjs FRAMEWORK PACKAGE_FOLDER REDIS_URL`. */
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { reportCpu } from '../http/report-cpu.mjs';
import { openExpressApp } from './express-app.mjs';
import { openFastifyApp } from './fastify-app.mjs';
import { openHonoApp } from './hono-app.mjs';
import { openLimiters } from './open-limiters.mjs';

/** @type {Record<string, import('./framework').OpenApp>} */
const apps = { express: openExpressApp, fastify: openFastifyApp, hono: openHonoApp };

const [framework = '', packageFolder = '', redisUrl = ''] = process.argv.slice(2);
const prefix = `${framework}:`;
const limiters = await openLimiters({ packageFolder, redisUrl, prefix, framework });
const server = await apps[framework]?.(limiters, `${prefix}theirs:`);
if (!server) throw new TypeError(`there is no framework ${framework}`);
reportCpu({ port: await listenOnFreePort(server) });
