import { findFreePort } from '../../scripts/ports.mjs';
import { startServer } from '../../scripts/start/server-process.mjs';

export interface BuiltServer {
  url: string;
  /** Drains and ends it. */
  stop: () => Promise<void>;
  /** SIGKILL, as in a crash. */
  kill: () => void;
}

/** Runs `dist/main.js` as production does, on a free port. `npm run build` must have been run. */
export async function startBuiltServer(env: Record<string, string>): Promise<BuiltServer> {
  const port = await findFreePort();
  return startServer(
    ['--enable-source-maps', 'dist/main.js'],
    {
      HOST: '127.0.0.1',
      SESSION_SECRETS: 'only-for-tests-only-for-tests-only-for-tests',
      LOG_LEVEL: 'warn',
      ...env,
      PORT: String(port),
      NODE_ENV: 'production',
    },
    { onStep: () => undefined, onSpawn: () => undefined },
  );
}
