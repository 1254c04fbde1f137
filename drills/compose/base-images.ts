import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { runCommand, runOrThrow } from '../../scripts/lib/processes.mjs';
import { StepError } from '../../scripts/lib/steps.mjs';
import type { Docker } from './docker';

const STAND_INS = 'drills/compose/stand-ins';
const BASE = 'floodgate-debian';
/** The Debian packages of all stand-ins, in one base image. */
const PACKAGES = ['ca-certificates', 'curl', 'nginx-light', 'postgresql', 'prometheus', 'redis-server'];
/** Parts of these packages that no container reads: 400 MB. */
const UNUSED = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/javascript',
  'var/cache/apt',
];

/** Reads the names of the images that the Dockerfile and docker-compose.yml pin. */
export async function readPinnedImages(): Promise<string[]> {
  const [dockerfile, compose] = await Promise.all(
    ['Dockerfile', 'docker-compose.yml'].map((file) => readFile(file, 'utf8')),
  );
  const bases = dockerfile?.matchAll(/^FROM (\S+:\S+)/gm) ?? [];
  const images = compose?.matchAll(/^ +image: (\S+:\S+)$/gm) ?? [];
  return [...new Set([...bases, ...images].map(([, name = '']) => name))];
}

/**
 * Pulls the images that the daemon lacks. On the drill's own daemon, builds stand-ins of those that cannot be pulled. Returns
 * the names of the stand-ins and of the images that are missing.
 */
export async function provideBaseImages(
  docker: Docker,
  folder: string,
): Promise<{ standIns: string[]; missing: string[] }> {
  const unavailable: string[] = [];
  for (const name of await readPinnedImages()) {
    if (await docker.hasImage(name)) continue;
    await docker.run(['pull', '--quiet', name]).catch((error: unknown) => {
      if (!(error instanceof StepError)) throw error;
      unavailable.push(name);
    });
  }
  if (unavailable.length > 0 && !docker.isOwn)
    throw new StepError(`These images cannot be pulled: ${unavailable.join(', ')}.`, {
      hint: 'The drill builds stand-ins only on a daemon of its own: stop this one, then run the drill as root.',
    });
  const stages = await listStages();
  const standIns = unavailable.filter((name) => stages.includes(stageOf(name)));
  if (standIns.length > 0) await buildStandIns(docker, { names: standIns, folder });
  return { standIns, missing: unavailable.filter((name) => !standIns.includes(name)) };
}

/** Lists the stages of the stand-ins. */
export async function listStages(): Promise<string[]> {
  const dockerfile = await readFile(`${STAND_INS}/Dockerfile`, 'utf8');
  return [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, stage = '']) => stage);
}

/** Returns the stage of the stand-in of an image: its name without the tag. */
export const stageOf = (image: string): string => image.replace(/:.*$/, '').replaceAll('/', '-');

async function buildStandIns(
  docker: Docker,
  { names, folder }: { names: readonly string[]; folder: string },
): Promise<void> {
  if (!(await docker.hasImage(BASE))) await importDebian(docker, folder);
  const context = path.join(folder, 'context');
  await cp(STAND_INS, context, { recursive: true });
  const node = names.find((name) => name.startsWith('node:'));
  if (node) await addNode(context, /:([\d.]+)/.exec(node)?.[1] ?? 'latest');
  for (const name of names) {
    await docker.run(['build', '--network', 'none', '--target', stageOf(name), '--tag', name, context]);
  }
  await rm(context, { recursive: true });
}

/** Makes the base image from Debian's packages, of the release of this machine. */
async function importDebian(docker: Docker, folder: string): Promise<void> {
  const root = path.join(folder, 'debian');
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1];
  const args = ['--variant=minbase', `--include=${PACKAGES.join(',')}`, codename ?? 'stable', root];
  const { code, output } = await runCommand('debootstrap', args);
  if (code === 127)
    throw new StepError('No image can be pulled here, and without debootstrap none can be made.', {
      hint: 'On Debian, as root: apt-get install debootstrap',
    });
  if (code !== 0) throw new StepError(`debootstrap failed:\n${output.slice(-2_000)}`);
  await Promise.all(UNUSED.map((name) => rm(path.join(root, name), { recursive: true, force: true })));
  const archive = `${root}.tar`;
  await runOrThrow('tar', ['--create', '--file', archive, '--directory', root, '.']);
  await rm(root, { recursive: true });
  await docker.run(['import', archive, BASE]);
  await rm(archive);
}

/** Adds Node and npm to the folder of a build, from the registry of npm. */
async function addNode(context: string, version: string): Promise<void> {
  for (const [name, folder] of [
    [`node-linux-${process.arch}@${version}`, 'node-package'],
    ['npm@11', 'npm'],
  ] as const) {
    const packed = await runOrThrow('npm', ['pack', '--silent', '--pack-destination', context, name]);
    const archive = path.join(context, packed.trim().split('\n').at(-1) ?? '');
    await mkdir(path.join(context, folder));
    await runOrThrow('tar', ['-xzf', archive, '-C', path.join(context, folder), '--strip-components=1']);
    await rm(archive);
  }
  await cp(path.join(context, 'node-package/bin/node'), path.join(context, 'node'));
  // Every build receives the whole folder.
  await rm(path.join(context, 'node-package'), { recursive: true });
  const { NODE_EXTRA_CA_CERTS = '/etc/ssl/certs/ca-certificates.crt' } = process.env;
  await cp(NODE_EXTRA_CA_CERTS, path.join(context, 'ca-certificates.crt'));
}
