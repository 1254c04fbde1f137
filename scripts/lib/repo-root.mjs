import { fileURLToPath } from 'node:url';

/** The folder that holds package.json. Scripts change into it first, so that all their paths can be relative. */
export const repoRoot = fileURLToPath(new URL('../..', import.meta.url));

/** Embedded databases, generated secrets and downloaded tools live here; deleting it starts all over. */
export const dataDir = '.data';
