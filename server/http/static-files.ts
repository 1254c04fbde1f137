import type { IncomingMessage, ServerResponse } from 'node:http';
import sirv from 'sirv';
import { onRequestEnd } from '../limiter/index';

/** The URL prefix of Next's built files. */
export const STATIC_PREFIX = '/_next/static/';

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/**
 * Serves `.next/static` with an immutable cache, because file names contain hashes. Clients that accept `.br` or `.gz` get
 * the compressed file next to the original. The files are listed once at start, so no path leaves the folder.
 */
export function createStaticFiles({
  dir,
}: {
  dir: string;
}): (req: IncomingMessage, res: ServerResponse) => void {
  const serve = sirv(dir, { immutable: true, maxAge: YEAR_MS / 1000, etag: true, brotli: true, gzip: true });

  return function staticFiles(req, res) {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    // Ranges are ignored: these files are small, and a range can be invalid in many ways.
    req.headers.range = undefined;
    req.url = req.url?.slice(STATIC_PREFIX.length - 1);
    res.once('pipe', (file) => {
      // A later build can delete files that are still listed.
      file.once('error', () => res.destroy());
      // A pipe does not close the file when the client disconnects.
      onRequestEnd(req, res, () => file.destroy());
    });
    serve(req, res);
  };
}
