import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { claimSocket } from '../exclusive-socket.mjs';
import { onParentGone, readWrapperOptions, reportReady } from './wrapper-channel.mjs';

/**
 * Clients share one session whatever their number, so the product uses one connection. The few more let it
 * reconnect before the server has noticed that the old connection is gone.
 */
const MAX_CONNECTIONS = 8;

/** Made once the database has been created in full; without it the files are of a first start cut short. */
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
 * PGlite does not notice a second one on the same files and would ruin them. After a SIGKILL of the start
 * script the former wrapper may still be closing while the next start is already here.
 */
async function waitForPreviousOwner() {
  while (!(await claimSocket('in-use.sock'))) await sleep(50);
}

/** Making a database takes seconds; a kill in the middle leaves files that PGlite can neither use nor replace. */
function removeIncompleteDatabase() {
  if (!existsSync(COMPLETE_MARKER)) rmSync('data', { recursive: true, force: true });
}
