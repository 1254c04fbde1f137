import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../scripts/lib/ports.mjs';
import { startRedis } from '../test/services/redis';
import { waitUntil } from '../test/wait-until';
import { compile, repo, unpackPackage } from './packed-package';

/** Below the repository, so that the packages besides ours are those of the repository. */
const folder = path.join(repo, '.data/pages');
/** Replaces the port 3000 of the pages. */
const port = await findFreePort();

/** Calls what the guide exports. Prints one line of JSON for each test. */
const guideProgram = `
import { createLimiter } from 'floodgate-limiter';
import { connectRedis } from 'floodgate-limiter/ioredis';
import { createTrpcLimits } from 'floodgate-limiter/trpc';
import { exportRows, store } from './cost.js';
import { modelRouter } from './completion.js';
import { type Context, t } from './context.js';
import { grabRouter } from './grab.js';
import './keys.js';
import { limiter, options } from './limiter.js';
import './metrics.js';
import { countSearch } from './persons.js';
import { buyOrWait, queue, queueLimiter, serve } from './queue.js';
import { createReport } from './report.js';
import { browseShop, payInShop } from './shop.js';

const print = (name: string, value: unknown) => console.info(JSON.stringify([name, value]));
const levelsOf = ({ levels }: { levels: readonly { level: string; used: number; limit: number }[] }) =>
  levels.map(({ level, used, limit }) => [level, used, limit]);
const { contextOf } = createTrpcLimits({ limiter });
const contextFor = (id: string, plan: 'free' | 'pro'): Context => ({
  ...contextOf({ user: id, ip: '192.0.2.1' }),
  user: { id, plan, tenantId: 'acme' },
});

print('cost', levelsOf(await exportRows('ada', 60)));
print('stated cost', levelsOf(await store('ada', 30)));
const personal = [await countSearch('ada', 'free'), await countSearch('bob', 'pro'), await countSearch('eve', '?')];
print('persons', personal.flatMap(levelsOf));
print('shared', [await limiter.check(browseShop, { ip: '192.0.2.1' }), await limiter.check(payInShop, { user: 'ada' })].map(levelsOf));

const { promise, resolve } = (() => {
  let resolve = () => {};
  const promise = new Promise<void>((done) => { resolve = done; });
  return { promise, resolve };
})();
const write = () => promise.then(() => 'written');
const reports = [1, 2, 3].map(() => createReport({ user: 'ada', ip: '192.0.2.1' }, write));
print('third report', await reports[2]);
resolve();
print('reports', await Promise.all(reports));

const model = t.createCallerFactory(modelRouter);
const levels: unknown[] = [];
for (const plan of [...Array<'free'>(10).fill('free'), 'pro' as const]) {
  const context = contextFor(plan, plan);
  await model(context).complete({ prompt: 'hello', maxTokens: 4_000 });
  levels.push(...context.rateLimit.decisions.map(({ levels }) => levels.map(({ level, limit }) => [level, limit])));
}
print('completions', levels.length);
print('completion of free', levels[0]);
print('completion of pro', levels.at(-1));

const grab = t.createCallerFactory(grabRouter);
const context = contextFor('ada', 'free');
const requestId = '0e7cf6f5-2b7d-4c59-8b9d-2f7d6c0c8a11';
print('grabs', [
  await grab(context).grab({ couponId: 'sold-out', requestId }),
  await grab(context).grab({ couponId: 'tea', requestId: requestId.replace('0e', '1e') }),
]);
print('grab levels', context.rateLimit.decisions.map(levelsOf));

const joined = [];
for (let user = 0; user <= 20; user += 1) joined.push(await buyOrWait('user ' + user, 'request ' + user, 'tea'));
print('joined', joined.map(({ queued }) => queued).lastIndexOf(false));
print('queue', [(await queue.state()).waiting, (await queue.mine({ subjects: { user: 'user 20' }, groups: ['tea'] })).tickets.length]);
await serve().stop();
print('voided', await queue.voidGroup('tea', 'ended'));
serve();
const other = createLimiter({ ...options, store: connectRedis(process.env.REDIS_URL ?? '') });
await other.ready();
await Promise.all([limiter.close(), queueLimiter.close(), other.close()]);
`;

/** Streams through the route of the page. Prints what each tenant keeps. */
const budgetProgram = `
import { budget, limiter } from './budget.js';
import './budgets.js';
import { app } from './route.js';

const call = (tenant: string, prompt: string, signal?: AbortSignal) =>
  app.request('/complete', {
    ...{ method: 'POST', headers: { 'x-tenant': tenant }, body: JSON.stringify({ prompt, maxTokens: 4_000 }) },
    ...(signal && { signal }),
  });
const tokensOf = async (tenant: string) => (await limiter.peek(budget, { tenant })).windows[0]?.used;
const print = (...values: unknown[]) => console.info(JSON.stringify(values));

for (let stream = 0; stream < 30; stream += 1) await (await call('acme', 'one two')).text();
print('streamed', await tokensOf('acme'));
const { body } = await call('gone', 'word '.repeat(1_000));
const reader = body?.getReader();
print('reserved', await tokensOf('gone'));
await reader?.read();
await reader?.cancel();
const tokens = (await tokensOf('gone')) ?? 0;
print('left', tokens > 1_250 && tokens < 1_300);
const statuses = (await Promise.all(Array.from({ length: 30 }, () => call('busy', 'one two')))).map(({ status }) => status);
print('at once', statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length);
print('invalid', (await app.request('/complete', { method: 'POST', body: '{}' })).status);
process.exit(0);
`;

/** Makes 25 calls at once of each function of the page. Prints the number of those that succeeded. */
const workerProgram = `
import { limiter } from './limiter.js';
import { fetchOrder } from './orders.js';
import { callPartner } from './partner.js';

const calls = Array.from({ length: 25 }, (_, call) => [fetchOrder(String(call)), callPartner('/prices/' + call)]);
const answers = await Promise.all(calls.flat());
console.info(answers.filter(({ status }) => status === 200).length);
await limiter.close();
`;

interface Page {
  file: string;
  project: string;
  minFiles: number;
  program?: string;
  /** Types that the files need and the repository does not have. */
  types?: string;
}

/** The part of `cloudflare:workers` that the page uses. */
const workerTypes = `declare module 'cloudflare:workers' {
  export const env: Record<'UPSTASH_REDIS_REST_URL' | 'UPSTASH_REDIS_REST_TOKEN' | 'SUBJECT_SECRET', string>;
}`;
/** The store of a limiter on Redis. */
const STORE = /store: connectRedis\(.*\),$/m;

const pages: Page[] = [
  { file: 'docs/rate-limits.md', project: 'guide', minFiles: 16, program: guideProgram },
  { file: 'server/limiter/README.md', project: 'readme', minFiles: 1 },
  { file: 'docs/token-budgets.md', project: 'token-budgets', minFiles: 4, program: budgetProgram },
  { file: 'docs/call-a-limited-api.md', project: 'limited-api', minFiles: 3, program: workerProgram },
  { file: 'docs/runtimes.md', project: 'runtimes', minFiles: 1, types: workerTypes },
  { file: 'docs/leases.md', project: 'leases', minFiles: 1 },
];

await rm(folder, { recursive: true, force: true });
await unpackPackage(folder);
for (const page of pages) await writeProject(page);
await writeConfigs();
// The guide has a test of its own.
await import(path.join(folder, 'guide/claim.test.ts'));

/** Writes the files that a page names. */
async function writeProject({ file: page, project, minFiles, program, types }: Page) {
  const text = await readFile(path.join(repo, page), 'utf8');
  expect(text).not.toMatch(/^```ts$/m);
  const blocks = [...text.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)];
  expect(blocks.length).toBeGreaterThanOrEqual(minFiles);
  await mkdir(path.join(folder, project), { recursive: true });
  const write = (file: string, source: string) => writeFile(path.join(folder, project, file), source);
  for (const [, file = '', source = ''] of blocks) {
    // The tests that run at the same time may take all of the processor.
    const patient = source.includes('timeoutMs') ? source : source.replace(STORE, '$& timeoutMs: 10_000,');
    await write(file, patient.replaceAll('3000', String(port)));
  }
  if (program) await write('run.ts', program);
  if (types) await write('types.d.ts', types);
  await write('package.json', '{"type":"module"}');
}

/** Writes one program of the files of all pages, because the types of Node take most of the time, once for each resolution. */
async function writeConfigs() {
  const common = {
    ...{ target: 'ES2022', lib: ['ES2023', 'DOM'], types: ['node'], strict: true, noEmit: true },
    ...{ noUncheckedIndexedAccess: true, verbatimModuleSyntax: true, erasableSyntaxOnly: true },
    // The types of Vitest and Vite do not compile without it.
    skipLibCheck: true,
  };
  const nodenext = { ...common, module: 'nodenext' };
  const bundler = { ...common, module: 'esnext', moduleResolution: 'bundler' };
  const include = pages.map(({ project }) => `${project}/*.ts`);
  for (const [name, compilerOptions] of Object.entries({ nodenext, bundler }))
    await writeFile(path.join(folder, `tsconfig.${name}.json`), JSON.stringify({ compilerOptions, include }));
}

/** Starts a private Redis for a test. */
async function openRedis() {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  return redis;
}

/** Starts a module of a page, by default on a Redis of its own. Returns its output when it has ended. */
async function startModule(project: string, file: string, given?: { url: string }) {
  const redis = given ?? (await openRedis());
  const script = `await import('./${file}')`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: path.join(folder, project),
    env: { ...process.env, REDIS_URL: redis.url, SUBJECT_SECRET: 'a secret of at least 32 characters' },
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return { child, output: Promise.all([readAll(child.stdout), readAll(child.stderr)]) };
}

/** Waits until the output of a module has as many lines, and returns them. */
async function readLines(project: string, file: string, count: number): Promise<string[]> {
  const { child } = await startModule(project, file);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  await waitUntil(() => output.split('\n').length > count);
  return output.trim().split('\n');
}

test.each(['nodenext', 'bundler'])('the code of the pages compiles with %s', async (resolution) => {
  const config = path.join(folder, `tsconfig.${resolution}.json`);
  expect(await compile(config)).toEqual({ output: '', code: 0 });
});

test('the first limit of the guide admits three calls and refuses the fourth', async () => {
  const lines = await readLines('guide', 'greet.ts', 4);
  expect(lines).toEqual(['admitted', 'admitted', 'admitted', expect.stringMatching(/^refused for \d+ ms$/)]);
});

test('the code of the guide does what its text says', async () => {
  const { output } = await startModule('guide', 'run.ts');
  const [lines, errors] = await output;
  expect(errors).toBe('');
  const printed = Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  const user = (used: number, limit: number) => ['user', used, limit];
  expect(printed).toEqual({
    cost: [user(60, 1_000)],
    'stated cost': [user(30, 1_000)],
    persons: [user(1, 50), user(1, 200), user(1, 20)],
    shared: [
      [
        ['ip', 1, 300],
        ['global', 1, 2_000],
      ],
      [user(2, 6), ['global', 3, 2_000]],
    ],
    'third report': null,
    reports: ['written', 'written', null],
    // Unsettled, five would use up the 20,000 tokens.
    completions: 11,
    'completion of free': [
      ['user', 20_000],
      ['tenant', 1_000_000],
    ],
    'completion of pro': [
      ['user', 200_000],
      ['tenant', 1_000_000],
    ],
    grabs: ['sold out', 'bought'],
    'grab levels': [[user(1, 5)], [user(2, 5), ['global', 1, 100]]],
    joined: 19,
    queue: [1, 1],
    voided: 1,
  });
});

test('with the CORS middleware first, preflights are answered and not charged', async () => {
  const program = `
    import { app } from './cors.js';
    app.get('/', (c) => c.text('Hello.'));
    const env = { incoming: { socket: { remoteAddress: '192.0.2.1' } } };
    const send = async (headers: object) => {
      const response = await app.request('/', { headers: { origin: 'https://shop.example.com', ...headers } }, env);
      const of = (name: string) => response.headers.get(name);
      console.info(JSON.stringify([response.status, of('access-control-allow-origin'), of('access-control-expose-headers')]));
      return response.status;
    };
    const preflight = { method: 'OPTIONS', headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'GET' } };
    console.info((await app.request('/', preflight, env)).status);
    while ((await send({})) !== 429);
  `;
  await writeFile(path.join(folder, 'guide/run-cors.ts'), program);
  const answered = (status: number) =>
    JSON.stringify([
      status,
      'https://shop.example.com',
      'RateLimit,RateLimit-Policy,Retry-After,Floodgate-Degraded',
    ]);
  expect(await readLines('guide', 'run-cors.ts', 302)).toEqual([
    '204',
    ...Array<string>(300).fill(answered(200)),
    answered(429),
  ]);
});

test.each([
  { file: 'trpc.ts', path: '/lookup', limit: 20 },
  { file: 'plain.ts', path: '/', limit: 100 },
])('$file of the guide serves exactly its limit', async ({ file, path, limit }) => {
  const { child } = await startModule('guide', file);
  const url = `http://127.0.0.1:${port}${path}`;
  let response = await waitUntil(() => fetch(url).catch(() => undefined));
  const statuses = [response.status];
  while (response.status === 200 && statuses.length <= limit) {
    response = await fetch(url);
    statuses.push(response.status);
  }
  expect(statuses).toEqual([...Array<number>(limit).fill(200), 429]);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.text()).toMatch(/"level":"ip".*"retryAfterMs":\d+/);
  // The next server has the same port.
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('the route of the page on budgets settles each stream, and reserves before it', async () => {
  expect(await readLines('token-budgets', 'run.ts', 5)).toEqual([
    // 2 tokens of the prompt and 2 of the answer
    '["streamed",120]',
    // 1,250 of the prompt and 4,000 at most of the answer
    '["reserved",5250]',
    '["left",true]',
    // 24 reservations of 4,002 tokens fit
    '["at once",24,6]',
    '["invalid",400]',
  ]);
});

test('check.ts of the README prints the remaining attempts, and ends', async () => {
  const { output } = await startModule('readme', 'check.ts');
  expect(await output).toEqual(['4 attempts remain\n', '']);
});

test('three processes of the page on limited APIs make 50 calls a second, and all pause for a Retry-After', async () => {
  const arrivals: number[] = [];
  let pausedAt = Number.POSITIVE_INFINITY;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/orders')) return void response.end();
    const now = performance.now();
    arrivals.push(now);
    if (arrivals.length === 20) pausedAt = now;
    const isPaused = now >= pausedAt && now < pausedAt + 2_000;
    response.writeHead(isPaused ? 429 : 200, isPaused ? { 'retry-after': '2' } : {}).end();
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const redis = await openRedis();
  const processes = await Promise.all([1, 2, 3].map(() => startModule('limited-api', 'run.ts', redis)));
  for (const { output } of processes) expect(await output).toEqual(['50\n', '']);
  // The first answers that pause are on their way, and calls of 100 ms are charged.
  const duringPause = arrivals.filter((at) => at > pausedAt + 1_200 && at < pausedAt + 1_900);
  expect(duringPause).toEqual([]);
});
