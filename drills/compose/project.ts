import { randomBytes } from 'node:crypto';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { eventually } from '../../test/until';
import { type Docker, WITHIN_MS } from './docker';

/** The containers, the networks and the volumes of docker-compose.yml, under a name of their own. */
export interface Project {
  /** Ports of 127.0.0.1. */
  ports: { app: number; nginx: number; prometheus: number };
  /** Starts these services and those on which they depend. */
  up(services: readonly string[]): Promise<void>;
  /** Runs a command in the container of a service. */
  exec(service: string, command: readonly string[]): Promise<string>;
  /** Kills the first process of a container from outside, like a crash: a container of `docker kill` stays down. */
  crash(service: string): Promise<void>;
  /** Waits until the container was restarted and its health check, if it has one, passes. */
  waitForRestart(service: string): Promise<void>;
  /** Stops a container and returns the exit code of its first process. */
  stop(service: string): Promise<number>;
  /** Returns the last lines of each container, for a failed run. */
  logs(): Promise<string>;
  /** Removes all of it. Throws if something is left. */
  remove(): Promise<void>;
}

const SHELL_IMAGE = /^redis:/;

export async function createProject(
  docker: Docker,
  { images }: { images: readonly string[] },
): Promise<Project> {
  const name = `floodgate-drill-${randomBytes(3).toString('hex')}`;
  const [app = 0, nginx = 0, prometheus = 0, grafana = 0] = await Promise.all(
    Array.from({ length: 4 }, findFreePort),
  );
  // The empty ones replace those of .env.
  const env = {
    ...{
      SESSION_SECRETS: randomBytes(32).toString('hex'),
      POSTGRES_PASSWORD: randomBytes(16).toString('hex'),
    },
    ...{ FLOODGATE_DEMO: '1', PUBLIC_ORIGIN: '', ADMIN_EMAILS: '', SMTP_URL: '', ALERT_WEBHOOK_URL: '' },
    ...{ PORT: String(app), FLEET_PORT: String(nginx) },
    ...{ PROMETHEUS_PORT: String(prometheus), GRAFANA_PORT: String(grafana), TRUSTED_PROXIES: '' },
  };
  const compose = (...args: string[]) =>
    docker.compose(['--project-name', name, '--profile', 'fleet', ...args], env);
  const idOf = async (service: string) => (await compose('ps', '--all', '--quiet', service)).trim();
  const inspect = async (service: string, format: string) =>
    (await docker.run(['inspect', '--format', format, await idOf(service)])).trim();
  const shell = images.find((image) => SHELL_IMAGE.test(image)) ?? '';

  return {
    ports: { app, nginx, prometheus },
    up: async (services) => void (await compose('up', '--detach', ...services)),
    exec: async (service, command) => docker.run(['exec', await idOf(service), ...command]),
    async crash(service) {
      const pid = await inspect(service, '{{.State.Pid}}');
      const asRoot = ['--rm', '--pid', 'host', '--network', 'none', '--user', '0'];
      await docker.run(['run', ...asRoot, '--entrypoint', 'sh', shell, '-c', `kill -9 ${pid}`]);
    },
    waitForRestart: (service) =>
      eventually(
        async () => {
          const state =
            '{{.RestartCount}} {{.State.Status}} {{if .State.Health}}{{.State.Health.Status}}{{end}}';
          return /^[1-9]\d* running( healthy)?$/.test((await inspect(service, state)).trim());
        },
        `${service} runs again`,
        { withinMs: WITHIN_MS, everyMs: 500 },
      ),
    async stop(service) {
      const id = await idOf(service);
      await docker.run(['stop', id]);
      return Number((await docker.run(['inspect', '--format', '{{.State.ExitCode}}', id])).trim());
    },
    logs: () => compose('logs', '--no-color', '--tail', '15'),
    async remove() {
      await compose('down', '--volumes', '--remove-orphans', '--timeout', '10');
      const label = ['--quiet', '--filter', `label=com.docker.compose.project=${name}`];
      for (const kind of [
        ['ps', '--all'],
        ['network', 'ls'],
        ['volume', 'ls'],
      ]) {
        const left = await docker.run([...kind, ...label]);
        if (left.trim() !== '') throw new StepError(`docker ${kind.join(' ')} still lists:\n${left}`);
      }
    },
  };
}
