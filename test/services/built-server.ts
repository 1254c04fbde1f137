import path from 'node:path';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import { startServer } from '../../scripts/lib/start/server-process.mjs';

export interface BuiltServer {
  url: string;
  /** Drains and ends it. */
  stop: () => Promise<void>;
  /** SIGKILL, as in a crash. */
  kill: () => void;
  /** Settles when the process is gone, wanted or not. */
  ended: Promise<void>;
}

/** Whose cookies a built server believes. */
export const BUILT_SERVER_SECRET = 'only-for-tests-only-for-tests-only-for-tests';

/**
 * Runs `dist/main.js` as production does, on `PORT` or a free one. `npm run build` must have been run. `folder` holds a
 * copy of the build; default: the project.
 */
export async function startBuiltServer(
  env: Record<string, string>,
  { output, folder = '.' }: { output?: number; folder?: string } = {},
): Promise<BuiltServer> {
  const port = env.PORT ?? (await findFreePort());
  return startServer(
    ['--enable-source-maps', path.resolve(folder, 'dist/main.js')],
    {
      HOST: '127.0.0.1',
      SESSION_SECRETS: BUILT_SERVER_SECRET,
      LOG_LEVEL: 'warn',
      ...env,
      PORT: String(port),
      NODE_ENV: 'production',
    },
    {
      onStep: () => undefined,
      onSpawn: () => undefined,
      cwd: folder,
      ...(output !== undefined && { output }),
    },
  );
}
