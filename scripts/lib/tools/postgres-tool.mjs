import { runCommand } from '../run-command.mjs';
import { StepError } from '../step-error.mjs';
import { isDebian, unpackDebianPackages } from './debian-packages.mjs';
import { findPostgres } from './find-postgres.mjs';

/**
 * Provides a Postgres server for the tests: PGlite has one session and hides conflicts between connections.
 *
 * @param {(text: string) => void} note
 */
export async function providePostgres(note) {
  if (!findPostgres()) {
    if (!isDebian()) {
      throw new StepError('No initdb and postgres on PATH.', {
        hint: 'Install the server, for example: brew install postgresql, or sudo dnf install postgresql-server',
      });
    }
    // The compiler library serves only query JIT and is larger than all other files together.
    await unpackDebianPackages([await newestServerPackage()], { without: /^libllvm/ });
  }
  note(findPostgres()?.binDir ?? 'not found after unpacking');
}

/** @returns {Promise<string>} Such as "postgresql-15". The version differs between Debian releases. */
async function newestServerPackage() {
  const { output } = await runCommand('apt-cache', ['search', '--names-only', '^postgresql-[0-9]+$']);
  const versions = [...output.matchAll(/^postgresql-(\d+) /gm)].map((match) => Number(match[1]));
  return `postgresql-${versions.length > 0 ? Math.max(...versions) : 15}`;
}
