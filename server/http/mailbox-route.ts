import type { IncomingMessage, ServerResponse } from 'node:http';
import { StoreUnavailableError } from '../limiter';

/** The mailbox of a demo. This layer does not read the entries. */
export interface ReadableMailbox {
  /** Returns the entries, newest first. Throws `StoreUnavailableError` while the store is down. */
  read(): Promise<readonly unknown[]>;
}

/** Answers `GET /dev/mailbox.json` for scripts, tests and the mailbox page. */
export function createMailboxRoute({ mailbox }: { mailbox: ReadableMailbox }) {
  return async function mailboxRoute(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    try {
      const entries = await mailbox.read();
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(entries));
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      res.writeHead(503).end();
    }
  };
}
