import { execFile } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { createClient, createSentinel } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort, listenOnFreePort } from '../../../scripts/lib/ports.mjs';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import { startTlsProxy, testCertificate } from '../../../test/services/tls-proxy';
import type { RedisClient } from '../../redis/client';
import { createLimiter, definePolicy, type LimiterOptions, StoreUnavailableError } from '../index';
import { createQueues } from '../queue/queues';
import { connectRedis as connectIoredis } from './connect-ioredis';
import { connectRedis as connectNodeRedis } from './connect-node-redis';
import { ioredisStore, memoryStore, nodeRedisStore, type Store } from './index';

const secret = 'a secret of at least 32 characters';
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

let redis: Awaited<ReturnType<typeof startRedis>>;
let admin: RedisClient;
beforeAll(async () => {
  redis = await startRedis();
  admin = await connectTestRedis(redis.url);
});
afterAll(async () => {
  admin?.disconnect();
  await redis?.stop();
});

/** Counts the connections of limiters: all but that of this test. */
async function countConnections(): Promise<number> {
  const list = String(await admin.client('LIST'));
  return list.trim().split('\n').length - 1;
}

function createTestLimiter(store: Store, options: Partial<LimiterOptions> = {}) {
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const common = { store, secret, prefix: freshPrefix(), onWarning, timeoutMs: 2_000 };
  const limiter = createLimiter({ ...common, ...options });
  onTestFinished(() => limiter.close());
  return { limiter, warnings, greet: () => limiter.check(greeting, { user: 'ada' }) };
}

/**
 * A program that closes its limiter while the first call waits for a server that accepts connections and never replies. Prints the
 * kind of the call's error, and the time from the close to its end.
 */
const closingProgram = (module: string) => `
  const { once } = await import('node:events');
  const { createServer } = await import('node:net');
  const { createLimiter, definePolicy } = await import('./server/limiter/index.ts');
  const { connectRedis } = await import('./server/limiter/stores/${module}.ts');
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const store = connectRedis('redis://127.0.0.1:' + server.address().port);
  const limiter = createLimiter({ store, secret: '${secret}', timeoutMs: 10_000 });
  const policy = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });
  const kind = limiter.check(policy, { user: 'ada' }).catch(({ kind }) => kind);
  const [socket] = await once(server, 'connection');
  socket.unref();
  const closedAt = performance.now();
  process.on('exit', () => console.log(performance.now() - closedAt));
  await limiter.close();
  console.log(await kind);
`;

const clients = [
  {
    client: 'ioredis',
    module: './connect-ioredis',
    connectRedis: connectIoredis,
    connectTls: (url: string, ca: string) => connectIoredis({ url, tls: { ca } }),
  },
  {
    client: 'node-redis',
    module: './connect-node-redis',
    connectRedis: connectNodeRedis,
    connectTls: (url: string, ca: string) => connectNodeRedis({ url, socket: { tls: true, ca } }),
  },
];

describe.each(clients)('$client', ({ module, connectRedis, connectTls }) => {
  test('rediss: connects by TLS, and an unknown certificate is named', async () => {
    const proxy = await startTlsProxy(redis.port);
    onTestFinished(proxy.stop);
    const { limiter, greet } = createTestLimiter(connectTls(proxy.url, testCertificate));
    await limiter.ready();
    expect(await greet()).toMatchObject({ allowed: true });
    const { limiter: untrusting } = createTestLimiter(connectRedis(proxy.url));
    await expect(untrusting.ready()).rejects.toThrow('The store cannot decide: self-signed certificate');
  });

  test('limiters of one URL share a connection, also those of other copies of the module, from the first call to the last close', async () => {
    vi.resetModules();
    const copy: typeof import('./connect-ioredis') = await import(module);
    expect(copy.connectRedis).not.toBe(connectRedis);
    // Those of the former test are closed.
    await vi.waitFor(async () => expect(await countConnections()).toBe(0));
    const store = connectRedis(redis.url);
    const stores = [store, store, connectRedis(redis.url), copy.connectRedis(redis.url)];
    const limiters = stores.map((one) => createTestLimiter(one));
    expect(await countConnections()).toBe(0);
    for (const { greet } of limiters) expect(await greet()).toMatchObject({ allowed: true });
    expect(await countConnections()).toBe(1);

    const [first, ...others] = limiters;
    await first?.limiter.close();
    for (const { greet } of others) expect(await greet()).toMatchObject({ allowed: true });
    await Promise.all(others.map(({ limiter }) => limiter.close()));
    await vi.waitFor(async () => expect(await countConnections()).toBe(0));

    // A store can be used by a new limiter.
    expect(await createTestLimiter(store).greet()).toMatchObject({ allowed: true });
  });

  test('other options of the same URL are another connection', async () => {
    await admin.acl('SETUSER', 'other', 'on', '>pass', '~*', '+@all');
    const one = createTestLimiter(connectRedis(redis.url));
    const other = createTestLimiter(connectRedis({ url: redis.url, username: 'other', password: 'pass' }));
    await Promise.all([one.greet(), other.greet()]);
    await vi.waitFor(async () => expect(await countConnections()).toBe(2));
    expect(await admin.client('LIST')).toContain('user=other');
  });

  test('a process that starts while Redis is down decides by onStoreError, and by Redis when it has started', async () => {
    const port = await findFreePort();
    const { limiter, warnings } = createTestLimiter(connectRedis(`redis://127.0.0.1:${port}`));
    await expect(limiter.ready()).rejects.toThrow(
      `The store cannot decide: connect ECONNREFUSED 127.0.0.1:${port} — Start Redis, or correct its URL.`,
    );
    const open = definePolicy({ ...greeting, name: 'open', onStoreError: 'open' });
    await expect(limiter.check(greeting, { user: 'ada' })).rejects.toBeInstanceOf(StoreUnavailableError);
    const greet = () => limiter.check(open, { user: 'ada' });
    expect(await greet()).toMatchObject({ allowed: true, degraded: true });

    const started = await startRedis({ port });
    onTestFinished(() => started.stop());
    await vi.waitUntil(async () => !(await greet()).degraded, 10_000);
    await limiter.ready();
    expect(warnings).toEqual([
      `Redis is lost: connect ECONNREFUSED 127.0.0.1:${port}. Until it is connected again, onStoreError of each policy decides.`,
    ]);
  });

  test('a program that is closed while it connects ends at once, and its call fails as closed', async () => {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', closingProgram(module)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const [closed, ms] = stdout.trim().split('\n');
    expect(closed).toBe('closed');
    expect(Number(ms)).toBeLessThan(1_500);
  });

  test('every call names why it has no connection', async () => {
    const port = await findFreePort();
    const store = connectRedis(`redis://127.0.0.1:${port}`);
    // Limiters share the connection. The circuit breaker of one would open.
    for (const limiter of Array.from({ length: 20 }, () => createTestLimiter(store))) {
      await expect(limiter.greet()).rejects.toMatchObject({
        kind: 'disconnected',
        message: `the store failed: connect ECONNREFUSED 127.0.0.1:${port}`,
        cause: { code: 'ECONNREFUSED' },
      });
    }
  });

  test('a call without a right password has the code of the reply, and its warning one full stop', async () => {
    const wrong = createTestLimiter(connectRedis({ url: redis.url, username: 'ada', password: 'wrong' }));
    for (let call = 0; call < 5; call += 1)
      await expect(wrong.greet()).rejects.toMatchObject({ kind: 'WRONGPASS' });
    expect(wrong.warnings).toEqual([expect.stringMatching(/^Redis is lost: WRONGPASS .*[^.]\. Until it is/)]);

    await admin.config('SET', 'requirepass', 'pass');
    onTestFinished(async () => void (await admin.config('SET', 'requirepass', '')));
    const none = createTestLimiter(connectRedis({ url: redis.url }));
    for (let call = 0; call < 5; call += 1)
      await expect(none.greet()).rejects.toMatchObject({ kind: 'NOAUTH' });
  });

  test('the first calls wait for the connection, at most as long as for a reply, and are not sent later', async () => {
    const target = Number(new URL(redis.url).port);
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const server = createServer({ pauseOnConnect: true }, async (socket) => {
      await opened;
      const upstream = connect(target, '127.0.0.1');
      socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
      upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    const port = await listenOnFreePort(server);
    onTestFinished(() => void server.close());
    const { limiter } = createTestLimiter(connectRedis(`redis://127.0.0.1:${port}`), { timeoutMs: 500 });
    const call = () => limiter.check(greeting, { user: 'ada' });

    await expect(call()).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('500 ms'),
    });
    const waiting = call();
    open();
    expect(await waiting).toMatchObject({ allowed: true, levels: [{ used: 1 }] });
  });

  test.each([
    [undefined, 'connectRedis: url is undefined. Give the URL of Redis, as in "redis://127.0.0.1:6379"'],
    ['', 'connectRedis: url is "".'],
    [[], 'connectRedis: url is [].'],
    [{}, 'connectRedis: url is undefined.'],
    ['secret', 'connectRedis: url is "a text with the protocol none".'],
    ['localhost:6379', 'connectRedis: url is "a text with the protocol localhost:".'],
    ['https://user:secret@example.com', 'connectRedis: url is "a text with the protocol https:".'],
    [
      { url: 'redis://localhost', enableOfflineQueue: true },
      'connectRedis: enableOfflineQueue is true. This is not an option.',
    ],
  ])('the target %j is an error that names the fix', (target, message) => {
    expect(() => connectRedis(target as string)).toThrow(message);
    try {
      connectRedis(target as string);
    } catch (error) {
      expect(String(error)).not.toContain('secret@');
    }
  });
});

describe.each([
  ...clients.map(({ client, connectRedis }) => ({ client, open: () => connectRedis(redis.url) })),
  { client: 'memory', open: () => memoryStore() },
])('on $client', ({ open }) => {
  test('after close() every function fails at once, those that were called before finish, and queues are not served', async () => {
    const sale = definePolicy({
      name: 'sale',
      levels: [
        { level: 'user', limit: 5, windowMs: 60_000 },
        { level: 'global', limit: 1, windowMs: 60_000, queue: { maxLength: 10, maxWaitMs: 60_000 } },
      ],
      requestId: () => undefined,
    });
    const { limiter, greet } = createTestLimiter(open(), { queues: createQueues });
    const queue = limiter.queue(sale);
    const errors: unknown[] = [];
    const serving = queue.serve({
      onTurn: async () => ({ outcome: '' }),
      onError: (error) => errors.push(error),
    });
    await queue.state();
    await limiter.clear(greeting, { level: 'user', subject: 'ada' });
    const last = greet();
    await Promise.all([limiter.close(), limiter.close()]);
    expect(await last).toMatchObject({ allowed: true });
    serving.wake();
    const closed = { code: 'STORE_UNAVAILABLE', kind: 'closed', message: 'The limiter is closed.' };
    const calls = [
      greet(),
      limiter.peek(greeting, { user: 'ada' }),
      limiter.clear(greeting, { level: 'user', subject: 'ada' }),
      limiter.bans.list({
        ...greeting,
        name: 'punishing',
        levels: [{ ...greeting.levels[0], punishment: { warnAt: 1, banAt: 2, banMs: 1 } }],
      }),
      limiter.testStore(),
      limiter.ready(),
      queue.state(),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject(closed);
    expect(() => limiter.queue(sale)).toThrow('The limiter is closed.');
    expect(errors).toEqual([]);
  });
});

/** The clients that users make, with and without the options that the limiter needs. */
const given = [
  {
    client: 'ioredis',
    connect: async (isSafe: boolean) => {
      const client = new Redis(redis.url, {
        lazyConnect: true,
        ...(isSafe && {
          enableOfflineQueue: false,
          maxRetriesPerRequest: 0,
          autoResendUnfulfilledCommands: false,
          connectTimeout: 2_000,
          socketTimeout: 5_000,
          reconnectOnError: (error: Error) => error.message.includes('READONLY'),
        }),
      });
      onTestFinished(() => client.disconnect());
      await client.connect();
      return { client, store: ioredisStore(client) };
    },
    unsafe: [
      'enableOfflineQueue of the client of Redis is true',
      'maxRetriesPerRequest of the client of Redis is 20',
      'autoResendUnfulfilledCommands of the client of Redis is true',
      'reconnectOnError of the client of Redis is null',
      'connectTimeout of the client of Redis is 10000',
      'socketTimeout of the client of Redis is undefined',
    ],
  },
  {
    client: 'node-redis',
    connect: async (isSafe: boolean) => {
      const client = createClient({ url: redis.url, disableOfflineQueue: isSafe });
      onTestFinished(() => client.destroy());
      await client.connect();
      return { client, store: nodeRedisStore(client) };
    },
    unsafe: ['disableOfflineQueue of the client of Redis is false'],
  },
];

describe.each(given)('a given client of $client', ({ connect: connectGiven, unsafe }) => {
  test('ready() warns once of each unsafe option, with the fix', async () => {
    const { store } = await connectGiven(false);
    const { limiter, warnings } = createTestLimiter(store);
    await limiter.ready();
    await limiter.ready();
    expect(warnings).toEqual(
      unsafe.map((text) => expect.stringMatching(`${text}\\. .* Set it to .*, or use connectRedis\\.`)),
    );
  });

  test('that is set up right has no warning, and stays open when the limiter is closed', async () => {
    const { client, store } = await connectGiven(true);
    const { limiter, warnings, greet } = createTestLimiter(store);
    await limiter.ready();
    expect(warnings).toEqual([]);
    expect(await greet()).toMatchObject({ allowed: true });
    await limiter.close();
    expect(await client.ping('PONG')).toBe('PONG');
    expect(await createTestLimiter(store).greet()).toMatchObject({ allowed: true });
  });
});

test('a client of node-redis for Sentinels is an error with the fix', () => {
  const sentinel = createSentinel({ name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] });
  expect(() => nodeRedisStore(sentinel as never)).toThrow(
    'nodeRedisStore: client is a client of Sentinels. It keeps calls while the primary is lost',
  );
});

test('the client of the product has no unsafe option', async () => {
  const { limiter, warnings } = createTestLimiter(ioredisStore(admin));
  await limiter.ready();
  expect(warnings).toEqual([]);
});
