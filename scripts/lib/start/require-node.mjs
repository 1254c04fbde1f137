import { StepError } from '../step-error.mjs';

/** Throws a clear error on an older Node, which would fail with a syntax error in a package. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepError(`Floodgate needs Node 20.19 or newer; this is ${process.version}.`, {
    hint: 'Install a newer one: https://nodejs.org',
  });
}
