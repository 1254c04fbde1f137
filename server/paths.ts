import { fileURLToPath } from 'node:url';

/** The project's root, with a trailing slash; the same from `server/` in development and from `dist/` when built. */
export const root: string = fileURLToPath(new URL('..', import.meta.url));
