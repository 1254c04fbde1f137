import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { claimSocket } from '../exclusive-socket.mjs';
import { onParentGone, readWrapperOptions, reportReady } from './spawn-service.mjs';

/**
 * All clients share one session, so the product uses one connection. The others let it reconnect before the server has
 * detected that the old connection is closed.
 */
const MAX_CONNECTIONS = 8;

/** The file that marks a completely created database. Without it, the first start was interrupted. */
const COMPLETE_MARKER = 'complete';

/** @type {{ dir: string, port?: number, about: string }} */
const options = readWrapperOptions();
mkdirSync(options.dir, { recursive: true });
process.chdir(options.dir);

/** @type {PGlite | undefined} */
let openDb;
/** @type {PGLiteSocketServer | undefined} */
let openServer;
onParentGone(async () => {
  await openServer?.stop();
  await openDb?.close();
});

await waitForPreviousOwner();
removeIncompleteDatabase();
const db = await PGlite.create('data');
openDb = db;
writeFileSync(COMPLETE_MARKER, '');
const server = new PGLiteSocketServer({
  db,
  host: '127.0.0.1',
  port: options.port ?? 0,
  maxConnections: MAX_CONNECTIONS,
});
openServer = server;
await server.start();

const port = Number(server.getServerConn().split(':').at(-1));
reportReady({
  url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
  port,
  pid: process.pid,
  about: options.about,
});

/**
 * Waits until no other wrapper uses the files: PGlite does not detect a second process and would corrupt them. After a
 * SIGKILL of the start script, the former wrapper may still be closing.
 */
async function waitForPreviousOwner() {
  while (!(await claimSocket('in-use.sock'))) await sleep(50);
}

/** Removes the files of an interrupted creation, which PGlite can neither use nor replace. */
function removeIncompleteDatabase() {
  if (!existsSync(COMPLETE_MARKER)) rmSync('data', { recursive: true, force: true });
}
