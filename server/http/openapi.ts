import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { FieldProblem } from '../errors';
import { type DeclaredProcedure, listProcedures } from '../limiter/adapters/trpc';
import { type RateLimitErrorData, type ResolvedPolicy, resolvePolicy } from '../limiter/index';
import type { CallerKind } from '../trpc/procedures';
import { TRPC_PREFIX } from './trpc-protocol';

/** A part of an OpenAPI document. */
type Part = Record<string, unknown>;

/** Answers `GET /openapi.json`. */
export function createOpenApiRoute(router: AnyTRPCRouter) {
  const body = JSON.stringify(describeApi(router));
  return async function openApiRoute(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return void res.writeHead(405, { allow: 'GET, HEAD' }).end();
    // Pages of other sites may read it, such as a viewer of OpenAPI documents: it is public, and has no data of a caller.
    res.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' }).end(body);
  };
}

/** Describes the procedures that need no admin as OpenAPI 3.1, from their zod schemas and declared policies. */
export function describeApi(router: AnyTRPCRouter): Part {
  const paths = listProcedures(router)
    .filter((procedure) => callerOf(procedure) !== 'admin')
    .toSorted(({ path: one }, { path: other }) => (one < other ? -1 : 1))
    .map((procedure) => {
      const method = procedure.type === 'query' ? 'get' : 'post';
      return [`${TRPC_PREFIX}${procedure.path}`, { [method]: describeProcedure(procedure) }];
    });
  return {
    openapi: '3.1.1',
    info: {
      title: 'Floodgate',
      version: '1',
      description:
        'tRPC 11 over HTTP: a query is a GET whose `input` is JSON, a mutation is a POST with a JSON body. Instants are epoch milliseconds. docs/api.md has the results, and examples with curl.',
    },
    paths: Object.fromEntries(paths),
    components: { schemas: describeErrors(), responses, securitySchemes },
  };
}

function describeProcedure(procedure: DeclaredProcedure): Part {
  const { path, policies } = procedure;
  const limits = policies.flatMap(({ policy }) =>
    policy === 'unlimited' ? [] : [describePolicy(resolvePolicy(policy, path))],
  );
  const schema = inputSchemaOf(procedure);
  const isOptional = schema !== undefined && inputOf(procedure)?.safeParse(undefined).success;
  const content = schema && { 'application/json': { schema } };
  const isQuery = procedure.type === 'query';
  return {
    operationId: path,
    tags: [path.split('.', 1)[0]],
    ...(callerOf(procedure) === 'user' && { security: [{ session: [] }] }),
    ...(content &&
      isQuery && { parameters: [{ name: 'input', in: 'query', required: !isOptional, content }] }),
    ...(content && !isQuery && { requestBody: { required: !isOptional, content } }),
    responses: {
      200: describeResult({ isLimited: limits.length > 0 }),
      ...(content && { 400: { $ref: '#/components/responses/Error' } }),
      ...(callerOf(procedure) === 'user' && { 401: { $ref: '#/components/responses/Error' } }),
      ...(limits.length > 0 && { 429: { $ref: '#/components/responses/Refusal' } }),
      default: { $ref: '#/components/responses/Error' },
    },
    'x-ratelimit': limits,
  };
}

function describeResult({ isLimited }: { isLimited: boolean }): Part {
  const data = { type: 'object', properties: { data: {} }, required: ['data'] };
  const schema = { type: 'object', properties: { result: data }, required: ['result'] };
  return {
    description: 'The result is in `result.data`; docs/api.md describes it.',
    ...(isLimited && { headers: rateLimitHeaders }),
    content: { 'application/json': { schema } },
  };
}

function describeErrors(): Record<string, Part> {
  const rateLimit: z.ZodType<RateLimitErrorData> = z.object({
    ...{ policy: z.string(), level: z.string(), algorithm: z.string() },
    reason: z.enum(['limited', 'banned', 'blocked']),
    ...{ limit: z.number(), windowMs: z.number(), remaining: z.number() },
    retryAfterMs: z.number().nullable().describe('Of the named level; null if the level is blocked.'),
    violations: z.number().optional().describe('Only if the level punishes.'),
    warning: z.boolean().optional().describe('Only if the level punishes.'),
    bannedUntil: z.number().nullable().describe('Epoch milliseconds; null without an active ban.'),
  });
  const problem: z.ZodType<Omit<FieldProblem, 'code'>> = z.object({
    field: z.string().describe("The path of the field, such as `title.en`. '' is the whole input."),
    code: z.string(),
    ...{ least: z.number().optional(), most: z.number().optional() },
    text: z.string().describe('The problem in English, for clients without a translation of the code.'),
  });
  const data = z.object({
    code: z.string().describe('A code of tRPC, such as TOO_MANY_REQUESTS.'),
    ...{ httpStatus: z.int(), path: z.string().optional() },
    rateLimit: rateLimit.optional(),
    problems: z.array(problem).optional(),
    otherUser: z.boolean().optional(),
  });
  const registry = z.registry<{ id: string }>();
  registry.add(rateLimit, { id: 'RateLimitErrorData' });
  registry.add(problem, { id: 'FieldProblem' });
  registry.add(z.object({ error: z.object({ code: z.int(), message: z.string(), data }) }), { id: 'Error' });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [id, schema]),
  );
}

/** Describes the declared limits. Operators may change them: the header `RateLimit-Policy` has the effective ones. */
function describePolicy({ name, onStoreError, levels }: ResolvedPolicy<never>): Part {
  return {
    policy: name,
    onStoreError,
    levels: levels.map(({ level, algorithm, limit, windowMs }) =>
      algorithm === 'in-flight'
        ? { level, algorithm, concurrent: limit, leaseMs: windowMs }
        : { level, algorithm, limit, windowMs },
    ),
  };
}

function callerOf({ meta }: DeclaredProcedure): CallerKind | undefined {
  return (meta as { caller?: CallerKind } | undefined)?.caller;
}

function inputOf({ inputs }: DeclaredProcedure): z.ZodType | undefined {
  return inputs.find((input) => input instanceof z.ZodType);
}

function inputSchemaOf(procedure: DeclaredProcedure): Part | undefined {
  const input = inputOf(procedure);
  if (!input) return undefined;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return schema;
}

const integer = { type: 'integer' };
const text = { type: 'string' };

const rateLimitHeaders = {
  RateLimit: { description: 'The remaining units of each level.', schema: text },
  'RateLimit-Policy': { description: 'The effective limit of each level.', schema: text },
};
const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
const responses = {
  Refusal: {
    description: 'Refused by a limit; `error.data.rateLimit` names the level.',
    headers: { ...rateLimitHeaders, 'Retry-After': { description: 'Whole seconds.', schema: integer } },
    content: errorContent,
  },
  Error: { description: 'Any other error, by its code.', content: errorContent },
};
const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'floodgate_session', description: 'Set by `auth.*`.' },
};
