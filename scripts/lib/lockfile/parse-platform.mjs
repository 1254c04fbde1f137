/**
 * Parses the platform of a binary package from its name, such as `@next/swc-win32-arm64-msvc`. The registry would return
 * the same, but needs a network.
 *
 * @param {string} name
 * @returns {{ os: string[], cpu: string[], libc?: string[] } | undefined} Undefined for a package without a
 *   platform.
 */
export function parsePlatform(name) {
  const words = name.split(/[-/]/);
  const os = words.find((word) => systems.has(word));
  const cpu = words.map((word) => processors.get(word)).find(Boolean);
  if (!os || !cpu) return undefined;
  const libc = os === 'linux' ? parseLibc(words) : undefined;
  return { os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) };
}

const systems = new Set([
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]);

const processors = new Map([
  ['arm', 'arm'],
  ['arm64', 'arm64'],
  ['ia32', 'ia32'],
  ['loong64', 'loong64'],
  ['mips64el', 'mips64el'],
  ['ppc64', 'ppc64'],
  ['riscv64', 'riscv64'],
  ['s390x', 's390x'],
  ['x64', 'x64'],
]);

/** @param {string[]} words */
function parseLibc(words) {
  if (words.some((word) => word.startsWith('musl'))) return 'musl';
  return words.some((word) => word.startsWith('gnu')) ? 'glibc' : undefined;
}
