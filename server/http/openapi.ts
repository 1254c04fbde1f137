import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import { declaredPolicies, type Policy, type ResolvedPolicy, resolvePolicy } from '../limiter';
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

/**
 * Describes the procedures that need no admin as OpenAPI 3.1, from their zod schemas and declared policies. The results have
 * no schemas: `npm run package:client` packs their types.
 */
export function describeApi(router: AnyTRPCRouter): Part {
  const policies = declaredPolicies(router);
  const procedures = Object.entries(router._def.procedures as Record<string, AnyTRPCProcedure>);
  const paths = procedures
    .filter(([, procedure]) => callerOf(procedure) !== 'admin')
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, procedure]) => {
      const method = procedure._def.type === 'query' ? 'get' : 'post';
      return [`${TRPC_PREFIX}${path}`, { [method]: describeProcedure(path, procedure, policies.get(path)) }];
    });
  return {
    openapi: '3.1.1',
    info: {
      title: 'Floodgate',
      version: '1',
      description:
        'tRPC 11 over HTTP: a query is a GET whose `input` is JSON, a mutation is a POST with a JSON body. Instants are epoch milliseconds. docs/api.md has examples with curl.',
    },
    paths: Object.fromEntries(paths),
    components: { schemas: { Refusal, Error: ErrorBody }, responses, securitySchemes },
  };
}

function describeProcedure(
  path: string,
  procedure: AnyTRPCProcedure,
  policies: readonly (Policy<never> | 'unlimited')[] = [],
): Part {
  const limits = policies
    .filter((policy) => policy !== 'unlimited')
    .map((policy) => describePolicy(resolvePolicy(policy, path)));
  const schema = inputSchemaOf(procedure);
  const isOptional = schema !== undefined && inputOf(procedure)?.safeParse(undefined).success;
  const content = schema && { 'application/json': { schema } };
  const isQuery = procedure._def.type === 'query';
  return {
    operationId: path,
    tags: [path.split('.', 1)[0]],
    ...(callerOf(procedure) === 'user' && { security: [{ session: [] }] }),
    ...(content &&
      isQuery && { parameters: [{ name: 'input', in: 'query', required: !isOptional, content }] }),
    ...(content && !isQuery && { requestBody: { required: !isOptional, content } }),
    responses: {
      200: { $ref: '#/components/responses/Result' },
      ...(limits.length > 0 && { 429: { $ref: '#/components/responses/Refusal' } }),
      default: { $ref: '#/components/responses/Error' },
    },
    'x-ratelimit': limits,
  };
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

function callerOf({ _def: { meta } }: AnyTRPCProcedure): CallerKind | undefined {
  return (meta as { caller?: CallerKind } | undefined)?.caller;
}

function inputOf({ _def }: AnyTRPCProcedure): z.ZodType | undefined {
  const { inputs }: { inputs?: unknown } = _def;
  return Array.isArray(inputs) ? inputs.find((input) => input instanceof z.ZodType) : undefined;
}

function inputSchemaOf(procedure: AnyTRPCProcedure): Part | undefined {
  const input = inputOf(procedure);
  if (!input) return undefined;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return schema;
}

const integer = { type: 'integer' };
const text = { type: 'string' };

/** The type `RateLimitErrorData`. */
const Refusal = {
  type: 'object',
  properties: {
    policy: text,
    level: text,
    algorithm: text,
    reason: { enum: ['limited', 'banned'] },
    limit: integer,
    windowMs: integer,
    remaining: integer,
    retryAfterMs: integer,
    violations: integer,
    warning: { type: 'boolean' },
    bannedUntil: { type: ['integer', 'null'] },
  },
  required: [
    'policy',
    'level',
    'algorithm',
    'reason',
    'limit',
    'windowMs',
    'remaining',
    'retryAfterMs',
    'bannedUntil',
  ],
};

const ErrorBody = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        message: text,
        code: integer,
        data: {
          type: 'object',
          properties: {
            code: text,
            httpStatus: integer,
            path: text,
            rateLimit: { $ref: '#/components/schemas/Refusal' },
          },
          required: ['code', 'httpStatus'],
        },
      },
      required: ['message', 'code', 'data'],
    },
  },
  required: ['error'],
};

const rateLimitHeaders = {
  RateLimit: { description: 'The remaining units of each level.', schema: text },
  'RateLimit-Policy': { description: 'The effective limit of each level.', schema: text },
};
const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
const responses = {
  Result: {
    description: 'The result.',
    headers: rateLimitHeaders,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { result: { type: 'object', properties: { data: {} } } },
          required: ['result'],
        },
      },
    },
  },
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
