import { copyPgliteTemplate } from '../../scripts/lib/provide-tools.mjs';
import { startPgliteService } from '../../scripts/lib/services/start-services.mjs';
import type { DatabaseOptions } from './postgres';
import { startInFolder, type TestService } from './test-service';

/** Starts a private PGlite behind its socket. All its connections share one session: use one at a time. */
export function startPglite({ port, dir }: DatabaseOptions = {}): Promise<TestService> {
  return startInFolder('pglite', dir, async (folder) => {
    if (!dir) await copyPgliteTemplate(folder);
    return startPgliteService({ dir: folder, port });
  });
}
