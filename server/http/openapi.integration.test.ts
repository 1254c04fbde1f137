import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { freshDatabase } from '../../test/database';
import { openCoupon, startTestNode } from '../../test/node';
import { startRedis } from '../../test/services/redis';
import { postgresUrl } from '../../test/services/worker-services';
import { TRPC_PREFIX } from './trpc-protocol';

const content = z.object({ content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }) });
const api = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    responses: z.record(z.string(), content),
  }),
});
type Api = z.infer<typeof api>;

/** Returns the schema of an answer by its status, as a schema that stands alone. */
function schemaOf({ paths, components }: Api, { path, method, status }: Answered): z.ZodType {
  const { responses } = paths[TRPC_PREFIX + path]?.[method] ?? { responses: {} };
  const stated = z
    .union([z.object({ $ref: z.string() }), content])
    .parse(responses[String(status)] ?? responses.default);
  const response = '$ref' in stated ? components.responses[stated.$ref.split('/').at(-1) ?? ''] : stated;
  const schema = response?.content['application/json'].schema;
  const text = JSON.stringify({ allOf: [schema], $defs: components.schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
}

interface Answered {
  path: string;
  method: 'get' | 'post';
  status: number;
}

test('refusals and errors have the schemas that /openapi.json states', async () => {
  const database = await freshDatabase(await postgresUrl());
  onTestFinished(() => database.drop());
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const node = await startTestNode({
    ...{ REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_DEMO: '1' },
  });
  onTestFinished(() => node.stop());
  const at = { db: database.db, sale: node.sale };
  const claim = await openCoupon(at, { kind: 'claim', stock: null, priceCents: 0 });
  const described = api.parse(await (await fetch(`${node.url}/openapi.json`)).json());
  const bodies = new Map<string, unknown>();
  let cookie = '';

  async function call(method: 'get' | 'post', path: string, input?: unknown): Promise<string> {
    const query =
      method === 'get' && input !== undefined ? `?input=${encodeURIComponent(JSON.stringify(input))}` : '';
    const answer = await fetch(`${node.url}${TRPC_PREFIX}${path}${query}`, {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      ...(method === 'post' && { body: JSON.stringify(input ?? {}) }),
    });
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    const body: unknown = await answer.json();
    const schema = schemaOf(described, { path, method, status: answer.status });
    expect(schema.safeParse(body), `${path} answered ${JSON.stringify(body)}`).toMatchObject({
      success: true,
    });
    bodies.set(path, body);
    return `${path} ${answer.status}`;
  }

  const statuses = [
    await call('post', 'coupon.claim', { couponId: claim }),
    await call('post', 'auth.signInDemo', { name: 'Ada' }),
    await call('get', 'coupon.byId', { id: 'none' }),
    await call('get', 'coupon.byId', {}),
    await call('post', 'coupon.seckill', { couponId: claim }),
    await call('post', 'coupon.claim', { couponId: claim }),
    await call('post', 'coupon.claim', { couponId: claim }),
    await call('post', 'coupon.claim', { couponId: claim }),
    await call('post', 'coupon.claim', { couponId: claim }),
  ];
  expect(statuses).toEqual([
    'coupon.claim 401',
    'auth.signInDemo 200',
    'coupon.byId 404',
    'coupon.byId 400',
    'coupon.seckill 400',
    'coupon.claim 200',
    'coupon.claim 200',
    'coupon.claim 200',
    'coupon.claim 429',
  ]);

  const refusal = schemaOf(described, { path: 'coupon.claim', method: 'post', status: 429 });
  const withoutLevel = JSON.parse(
    JSON.stringify(bodies.get('coupon.claim')).replaceAll('"level"', '"layer"'),
  );
  expect(refusal.safeParse(withoutLevel).success).toBe(false);
});
