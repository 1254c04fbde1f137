import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand, runOrThrow, signalGroup, stopChild, tail } from '../../scripts/lib/processes.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import { until } from '../../test/until';

/** A Docker daemon. */
export interface Docker {
  /** True for a daemon that the drill started, whose images no other program uses. */
  isOwn: boolean;
  /** Runs a command of the `docker` CLI and returns its output. Throws a StepError with it if the command fails. */
  run(args: readonly string[]): Promise<string>;
  /** Runs a command of Docker Compose, with these additional variables. */
  compose(args: readonly string[], env: Record<string, string>): Promise<string>;
  /** Returns true if the daemon has this image. */
  hasImage(name: string): Promise<boolean>;
  /** Stops a daemon that the drill started, and removes what it leaves outside its folder. */
  stop(): Promise<void>;
}

const INSTALL =
  'On Debian, as root: apt-get install --no-install-recommends docker.io docker-compose debootstrap';
/** The bound of each wait. A machine that does other work, too, may be slow for minutes. */
export const WITHIN_MS = 300_000;
/** It first ends its containers. */
const STOPPED_WITHIN_MS = 30_000;

/**
 * Returns the running Docker daemon. Where none answers, starts one with all of its files in `folder`: without the default
 * bridge and without firewall rules, because published ports of 127.0.0.1 need only its proxy.
 */
export async function openDocker(folder: string): Promise<Docker> {
  const { code } = await runCommand('docker', ['version']);
  if (code === 127) throw new StepError('This drill needs Docker and Docker Compose.', { hint: INSTALL });
  const own = code === 0 ? undefined : await startDaemon(folder);
  const env = own && { DOCKER_HOST: own.host, DOCKER_BUILDKIT: '0' };
  const hasPlugin = (await runCommand('docker', ['compose', 'version'])).code === 0;
  const compose = hasPlugin ? ['docker', 'compose'] : ['docker-compose'];
  const run = (args: readonly string[]) =>
    runOrThrow('docker', [...args], { ...(env && { env }), problem: `docker ${args.join(' ')} failed:` });
  if ((await runCommand(compose[0] ?? '', [...compose.slice(1), 'version'])).code !== 0) {
    await own?.stop();
    throw new StepError('This drill needs Docker Compose.', { hint: INSTALL });
  }
  return {
    isOwn: own !== undefined,
    run,
    compose: (args, variables) =>
      runOrThrow(compose[0] ?? '', [...compose.slice(1), ...args], {
        // Compose 1 gives up after 60 s without an answer of the daemon.
        env: { ...env, ...variables, COMPOSE_HTTP_TIMEOUT: String(WITHIN_MS / 1_000) },
        problem: `${compose.join(' ')} ${args.join(' ')} failed:`,
      }),
    hasImage: async (name) =>
      (await runCommand('docker', ['image', 'inspect', name], env && { env })).code === 0,
    stop: async () => own?.stop(),
  };
}

/** Folders that a daemon creates outside its own. */
const OUTSIDE = ['/run/docker', '/run/containerd', '/opt/containerd'];

async function startDaemon(folder: string): Promise<{ host: string; stop: () => Promise<void> }> {
  if (process.getuid?.() !== 0)
    throw new StepError('No Docker daemon answers, and only root can start one.', {
      hint: 'Start Docker, or run the drill as root.',
    });
  await mkdir(folder, { recursive: true });
  const at = (name: string) => path.join(folder, name);
  const host = `unix://${at('docker.sock')}`;
  // Without a file of settings, the daemon would read those of the machine's.
  await writeFile(at('daemon.json'), JSON.stringify({ 'deprecated-key-path': at('key.json') }));
  const made = OUTSIDE.filter((name) => !existsSync(name));
  const args = [
    ...['--config-file', at('daemon.json'), '--data-root', at('data'), '--exec-root', at('exec')],
    ...['--pidfile', at('docker.pid'), '--host', host, '--bridge', 'none'],
    ...['--iptables=false', '--ip6tables=false', '--ip-forward=false'],
  ];
  const log = openSync(at('dockerd.log'), 'w');
  // Not by `startCommand`: a signal to the drill ends its commands, and the daemon is still needed to remove containers.
  const daemon = spawn(process.execPath, ['scripts/lib/command-wrapper.mjs', 'dockerd', ...args], {
    detached: true,
    // For the stacks that a slow containerd writes.
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const stop = async () => {
    await stopChild(daemon, { withinMs: STOPPED_WITHIN_MS, kill: () => signalGroup(daemon.pid, 'SIGKILL') });
    await Promise.all(made.map((name) => rm(name, { recursive: true, force: true })));
    // The daemon unmounts what it has mounted, unless it was killed.
    for (const mount of listMounts(folder)) await runCommand('umount', ['--lazy', mount]);
  };
  const answers = async () =>
    daemon.exitCode !== null || (await runCommand('docker', ['--host', host, 'version'])).code === 0;
  await until(answers, { withinMs: WITHIN_MS, everyMs: 200 });
  if (daemon.exitCode === null && (await answers())) return { host, stop };
  await stop();
  const hint = daemon.exitCode === 127 ? INSTALL : undefined;
  throw new StepError(`dockerd did not start:\n${tail(await readFile(at('dockerd.log'), 'utf8'))}`, { hint });
}

/** Lists the mounts in a folder, the innermost first. */
function listMounts(folder: string): string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? []);
  return mounts.filter((mount) => mount.startsWith(`${folder}/`)).toReversed();
}

/** Lists the network interfaces of the machine. */
export function listInterfaces(): string[] {
  return existsSync('/sys/class/net') ? readdirSync('/sys/class/net') : [];
}
