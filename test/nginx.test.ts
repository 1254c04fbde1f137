import { readFileSync } from 'node:fs';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MAX_BODY_BYTES } from '../server/http/trpc-protocol';

const conf = readFileSync(new URL('../deploy/nginx/nginx.conf', import.meta.url), 'utf8');

const errorBody = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    code: z.int(),
    data: z.strictObject({
      code: z.enum(['TOO_MANY_REQUESTS', 'PAYLOAD_TOO_LARGE', 'SERVICE_UNAVAILABLE']),
      httpStatus: z.int(),
    }),
  }),
});

describe('nginx answers a call like a node', () => {
  const answers = [...conf.matchAll(/return (\d+) '(\{.*\})';/g)].map(([, status, body]) => ({
    status: Number(status),
    ...errorBody.parse(JSON.parse(body ?? '')).error,
  }));

  test.each([413, 429, 503])('with status %d', (status) => {
    const answer = answers.find((one) => one.status === status);
    expect(answer?.data.httpStatus).toBe(status);
    expect(answer?.code).toBe(answer && TRPC_ERROR_CODES_BY_KEY[answer.data.code]);
  });

  test('and with the same body limit', () => {
    expect(answers.find(({ status }) => status === 413)?.message).toBe(
      `A body may have up to ${MAX_BODY_BYTES} bytes.`,
    );
  });
});

test('nginx tries each node once, also with more than three nodes', () => {
  expect(conf).toMatch(/^ {2}proxy_next_upstream_tries 0;$/m);
});

test('nginx logs no request errors, which contain query and address', () => {
  const http = conf.slice(conf.indexOf('http {'));
  expect([...http.matchAll(/error_log .*;/g)].map(([line]) => line)).toEqual([
    'error_log /dev/stderr emerg;',
  ]);
});
