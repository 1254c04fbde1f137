import type { IncomingMessage } from 'node:http';

/** The answer to a request that is not passed to Next. */
export interface PageRefusal {
  status: 400 | 404 | 405;
  text: string;
}

/** Next renders each parameter: 3,500 take a second. The product's own URLs have at most 6. */
const MAX_PARAMETERS = 100;

/** Next searches the User-Agent for bot names in quadratic time, so a long one would block this node. */
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

/** Maximum length of a router state in bytes. The product's own pages send less than 600. */
const MAX_STATE_LENGTH = 2_048;

/** Maximum number of nested segments, including the root. The product's deepest page has 4. */
const MAX_STATE_LEVELS = 12;

/**
 * Returns true if Next can parse a `Next-Router-State-Tree` header. For an invalid header Next answers 500, slowly for a
 * long one, so the listener answers 400 instead. The shape is that of Next's `FlightRouterState`:
 * `[segment, {slot: state}, [path, search]?, refresh?, number?, string?]`.
 */
export function isRouterState(header: string): boolean {
  return header.length <= MAX_STATE_LENGTH && isState(parseHeader(header), 1);
}

/** Parses a header of URI-encoded JSON. Returns `undefined` if it is invalid. */
function parseHeader(header: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(header));
  } catch (error) {
    if (error instanceof URIError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isState(value: unknown, level: number): boolean {
  if (level > MAX_STATE_LEVELS || !Array.isArray(value) || value.length < 2 || value.length > 6) return false;
  const [segment, slots, url, refresh, prefetchHint, last] = value;
  return (
    isSegment(segment) &&
    isSlots(slots, level + 1) &&
    (url === undefined || url === null || isStringArray(url, 2)) &&
    (refresh === undefined || refresh === null || REFRESHES.has(refresh)) &&
    (prefetchHint === undefined || prefetchHint === null || typeof prefetchHint === 'number') &&
    (last === undefined || typeof last === 'string')
  );
}

/** Checks a segment: `'wallet'`, or `[name, value, type, siblings]` for a dynamic segment. */
function isSegment(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [name, text, type, siblings] = value;
  const areTexts = typeof name === 'string' && typeof text === 'string';
  return areTexts && DYNAMIC_TYPES.has(type) && (siblings === null || isStringArray(siblings));
}

function isSlots(value: unknown, level: number): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((state) => isState(state, level));
}

function isStringArray(value: unknown, length?: number): boolean {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) return false;
  return value.every((text) => typeof text === 'string');
}

const REFRESHES: ReadonlySet<unknown> = new Set(['refetch', 'inside-shared-layout', 'metadata-only']);

/** Catch-all, optional catch-all and dynamic segments. `i` marks an intercepted route. */
const DYNAMIC_TYPES: ReadonlySet<unknown> = new Set(
  ['c', 'd'].flatMap((type) => [type, ...['(..)(..)', '(.)', '(..)', '(...)'].map((up) => `${type}i${up}`)]),
).add('oc');
