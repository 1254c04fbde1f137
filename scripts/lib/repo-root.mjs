import { fileURLToPath } from 'node:url';

/** The folder of package.json. Scripts change into it first, so that their paths can be relative. */
export const repoRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The folder of embedded databases, generated secrets and downloaded tools. Deleting it resets them. */
export const dataDir = '.data';
