import type { IncomingMessage, ServerResponse } from 'node:http';
import sirv from 'sirv';

/** Where Next's built files live, below the site and below `.next`. */
export const STATIC_PREFIX = '/_next/static/';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Serves `.next/static` as the build left it: names carry hashes, so answers never go stale; `.br` and `.gz` beside a
 * file are sent to those who read them. Files are listed once, here, so a path can name nothing outside the folder.
 */
export function createStaticFiles({
  dir,
}: {
  dir: string;
}): (req: IncomingMessage, res: ServerResponse) => void {
  const serve = sirv(dir, { immutable: true, maxAge: YEAR_SECONDS, etag: true, brotli: true, gzip: true });

  return function staticFiles(req, res) {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    // Parts of files this small are not worth the ways in which a range can be wrong.
    req.headers.range = undefined;
    req.url = req.url?.slice(STATIC_PREFIX.length - 1);
    // A build that replaces the folder takes files away that are still listed.
    res.once('pipe', (file) => file.once('error', () => res.destroy()));
    serve(req, res);
  };
}
