import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { brotliCompress } from 'node:zlib';
import { StepError } from './steps.mjs';

/** The maximum JavaScript of a first load, in bytes after Brotli at its best level. */
const MAX_BYTES = 165_000;
/** The maximum of the operators' pages. */
const MAX_OPS_BYTES = 185_000;
/** The pages that new visitors open first. */
export const entryRoutes = ['/', '/merchants'];

/**
 * Measures the JavaScript that the HTML of each page loads, and throws if a page exceeds its maximum. Scripts that a page
 * loads later do not count.
 *
 * @param {(text: string) => void} note
 */
export async function checkFirstLoad(note) {
  /** @type {Map<string, Promise<number>>} Sizes by script, because pages share most scripts. */
  const sizesOf = new Map();
  const sizeOf = (/** @type {string} */ file) => {
    const size = sizesOf.get(file) ?? brotliBytes(file);
    sizesOf.set(file, size);
    return size;
  };
  const sizes = await Promise.all(
    pageRoutes().map(async (route) => ({
      route,
      bytes: sum(await Promise.all(firstLoadScripts(route).map(sizeOf))),
    })),
  );
  const shown = sizes
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(({ route, bytes }) => `${route} ${inKilobytes(bytes)}`)
    .join(', ');
  note(`${shown} kB`);
  const missing = entryRoutes.find((route) => sizes.every((size) => size.route !== route));
  if (missing) throw new StepError(`The build has no page ${missing}.`, { hint: 'Run: npm run build' });
  const tooLarge = sizes.filter(({ route, bytes }) => bytes > maxBytes(route));
  if (tooLarge.length === 0) return;
  const exceeded = tooLarge.map(
    ({ route, bytes }) =>
      `The first load of ${route} is ${inKilobytes(bytes)} kB of JavaScript; ${inKilobytes(maxBytes(route))} are allowed.`,
  );
  throw new StepError(exceeded.join('\n'), {
    hint: 'Load a part that few visitors open with next/dynamic, or import less.',
  });
}

/** @param {string} route */
function maxBytes(route) {
  return route === '/ops' || route.startsWith('/ops/') ? MAX_OPS_BYTES : MAX_BYTES;
}

/**
 * Lists the scripts in the HTML of a page, without the polyfills for browsers without modules. It reads the manifests of
 * the build, because pages are rendered per request. `e2e/first-load.spec.ts` compares the list with the served HTML.
 *
 * @param {string} route  The path of the page, with `[id]` for a parameter.
 * @returns {string[]} Paths below `.next/`.
 */
export function firstLoadScripts(route) {
  const page = route === '/' ? '/page' : `${route}/page`;
  const source = readFileSync(`.next/server/app${page}_client-reference-manifest.js`, 'utf8');
  /** @type {{ __RSC_MANIFEST?: Record<string, { entryJSFiles: Record<string, string[]> }> }} */
  const sandbox = {};
  vm.runInNewContext(source, Object.assign(sandbox, { globalThis: sandbox }));
  const entries = Object.values(sandbox.__RSC_MANIFEST?.[page]?.entryJSFiles ?? {});
  const { rootMainFiles } = readJson('.next/build-manifest.json');
  return [...new Set([...rootMainFiles, ...entries.flat()])];
}

/** @returns {string[]} The routes of all pages, without those of Next such as `/_not-found`. */
function pageRoutes() {
  const paths = Object.entries(readJson('.next/app-path-routes-manifest.json'));
  return paths.flatMap(([file, route]) =>
    file.endsWith('/page') && !route.startsWith('/_') ? [String(route)] : [],
  );
}

/** @param {string} file */
async function brotliBytes(file) {
  const compressed = await promisify(brotliCompress)(await readFile(`.next/${file}`));
  return compressed.length;
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** @param {number} bytes */
function inKilobytes(bytes) {
  return (bytes / 1_000).toFixed(1);
}
