import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../server/paths';

const run = promisify(execFile);

/** The files that the tests of policies import. */
const COPIED = [
  ...['app', 'lua', 'scripts', 'server', 'test'],
  ...['biome.json', 'package.json', 'tsconfig.json', 'vitest.config.ts'],
];

test('after the steps "Add a limit" of the README, the format and all tests that read the policies pass', async () => {
  const copy = await mkdtemp(path.join(tmpdir(), 'add-a-limit-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  await Promise.all(
    COPIED.map((name) => cp(path.join(root, name), path.join(copy, name), { recursive: true })),
  );
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));

  const { policy, procedure, limit } = await readSteps();
  const changed = [
    await insert(path.join(copy, policy.file), { after: 'export const policies = {\n', code: policy.code }),
    await insert(path.join(copy, procedure.file), { after: 'return router({\n', code: procedure.code }),
    await insert(path.join(copy, 'server/router.test.ts'), {
      after: 'expect(Object.fromEntries(limits)).toEqual({\n',
      code: limit,
    }),
  ];
  const options = { cwd: copy, env: withoutVitest() };
  await run('node_modules/.bin/biome', ['check', '--vcs-enabled=false', ...changed], options);
  const files = await listPolicyTests();
  expect(files).toContain('server/router.test.ts');
  const args = ['run', '--project', 'unit', ...files];
  const { stdout } = await run('node_modules/.bin/vitest', args, options);
  expect(stdout).toMatch(/passed/);
}, 180_000);

/** Returns the code of the section with its files, as it is to be inserted. */
async function readSteps() {
  const [, section = ''] = (await readFile(path.join(root, 'README.md'), 'utf8')).split('\n## Add a limit\n');
  const [, code = ''] = /```ts\n(.*?)```/s.exec(section) ?? [];
  const [, limit = ''] = /add `([^`]+)` to the test/.exec(section) ?? [];
  const [policy, procedure] = code
    .split(/^\/\/ (?=server\/)/m)
    .slice(1)
    .map((part) => {
      const [comment = '', ...lines] = part.trimEnd().split('\n');
      return { file: comment.split(',')[0] ?? '', lines };
    });
  if (!policy || !procedure) throw new Error('README.md has no code under "Add a limit"');
  return {
    policy: { file: policy.file, code: indent(policy.lines, 2) },
    procedure: { file: procedure.file, code: indent(procedure.lines, 4) },
    limit: indent([limit], 4),
  };
}

function indent(lines: readonly string[], spaces: number): string {
  return lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');
}

/** Inserts code into a file, which must contain the text before it. */
async function insert(file: string, { after, code }: { after: string; code: string }): Promise<string> {
  const text = await readFile(file, 'utf8');
  expect(text).toContain(after);
  await writeFile(
    file,
    text.replace(after, () => after + code),
  );
  return file;
}

/** Returns the unit tests that import the policies. */
async function listPolicyTests(): Promise<string[]> {
  const names = await Promise.all(
    ['app', 'server'].map(async (folder) => {
      const inside = await readdir(path.join(root, folder), { recursive: true });
      return inside.map((name) => path.posix.join(folder, name));
    }),
  );
  const tests = names.flat().filter((name) => /(?<!\.integration|\.serial)\.test\.tsx?$/.test(name));
  const texts = await Promise.all(tests.map((name) => readFile(path.join(root, name), 'utf8')));
  return tests.filter((_name, index) => /from '[./]+\/(server\/)?policies'/.test(texts[index] ?? ''));
}

/** Returns the environment without the variables of this run of Vitest. */
function withoutVitest(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  return { ...Object.fromEntries(others), NODE_ENV: 'test' };
}
