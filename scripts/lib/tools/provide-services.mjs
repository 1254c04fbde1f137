import { provideDeployTools } from './deploy-tools.mjs';
import { providePostgres } from './postgres-tool.mjs';
import { provideRedis } from './redis-tool.mjs';

/**
 * Provides Redis, Postgres and the tools of deploy/, one step each.
 *
 * @param {(name: string, work: (note: (text: string) => void) => Promise<void>) => Promise<unknown>} runStep
 */
export async function provideServices(runStep) {
  await runStep('redis', provideRedis);
  await runStep('postgres', providePostgres);
  await runStep('deploy tools', provideDeployTools);
}
