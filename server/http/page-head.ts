import type { IncomingMessage } from 'node:http';
import { isRouterState } from './router-state';

/** The answer to a request that is not passed to Next. */
export interface PageRefusal {
  status: 400 | 404 | 405;
  text: string;
}

/** Next renders each parameter: 3,500 take a second. The product's own URLs have at most 6. */
const MAX_PARAMETERS = 100;

/** Next searches the User-Agent for bot names in quadratic time: 15 kB take 2.6 s, 512 bytes 3 ms. */
const MAX_USER_AGENT_LENGTH = 512;

/** The prefix of Next's own development tools. */
const DEV_TOOLS_PREFIX = '/__nextjs_';

/** Next's page for unknown paths. */
const NOT_FOUND_PATH = '/_not-found';

/** Next's page for errors of the root layout. A direct request for it is answered with 500. */
const ERROR_PATH = '/_global-error';

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/**
 * Refuses a page request that would make Next fail or take too long. Pages are read-only: the product has no server
 * actions, and Next prints the raw call of one to the console.
 */
export function refusePageHead({ method, url = '', headers }: Head): PageRefusal | undefined {
  if (headers['next-action'] !== undefined) return { status: 404, text: 'There are no server actions.' };
  if (method !== 'GET' && method !== 'HEAD' && !url.startsWith(DEV_TOOLS_PREFIX)) {
    return { status: 405, text: 'Pages are read with GET.' };
  }
  const state = headers['next-router-state-tree'];
  if (state !== undefined && !isRouterState(String(state))) {
    return { status: 400, text: 'Next-Router-State-Tree cannot be read.' };
  }
  if (parameterCount(url) > MAX_PARAMETERS) {
    return { status: 400, text: `An address may have up to ${MAX_PARAMETERS} parameters.` };
  }
  return undefined;
}

/** Replaces the parts of a request head that Next cannot handle. */
export function limitPageHead(req: Head): void {
  const { url = '', headers } = req;
  const agent = headers['user-agent'];
  if (agent !== undefined) headers['user-agent'] = agent.slice(0, MAX_USER_AGENT_LENGTH);
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!isDecodable(path) || leadsToErrorPage(path)) req.url = NOT_FOUND_PATH + url.slice(path.length);
}

function parameterCount(url: string): number {
  let count = 0;
  for (let index = url.indexOf('?'); index !== -1; index = url.indexOf('&', index + 1)) count += 1;
  return count;
}

/** Returns true if a path leads to the error page after Next removes `.` and `..` segments. */
function leadsToErrorPage(path: string): boolean {
  return path.endsWith(ERROR_PATH) && new URL(`http://localhost${path}`).pathname === ERROR_PATH;
}

/** Returns true if a path is valid UTF-8 in percent encoding. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
