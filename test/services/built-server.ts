import path from 'node:path';
import { startServer } from '../../scripts/lib/lifetime.mjs';
import { findFreePort } from '../../scripts/lib/ports.mjs';

export interface BuiltServer {
  url: string;
  /** Drains and stops the server. */
  stop: () => Promise<void>;
  /** Sends SIGKILL, as in a crash. */
  kill: () => void;
  /** Resolves when the process has exited for any reason. */
  ended: Promise<void>;
}

/** The session secret of a built server. */
export const BUILT_SERVER_SECRET = 'only-for-tests-only-for-tests-only-for-tests';

/**
 * Starts `dist/main.js` as in production, on `PORT` or a free port, after `npm run build`. `folder` contains a copy of the
 * build; default: the project.
 */
export async function startBuiltServer(
  env: Record<string, string>,
  { output, folder = '.' }: { output?: number; folder?: string | undefined } = {},
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
