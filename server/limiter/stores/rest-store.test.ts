import { expect, test } from 'vitest';
import { LimiterOptionError } from '../options';
import { restStore } from './rest-store';

const valid = { url: 'https://example.com', token: 'AYNg' };

test.each([
  [{ url: undefined }, 'url is undefined. Use the https: address'],
  [{ url: 'example.com' }, 'url is "example.com". Use the https: address'],
  [{ url: 'redis://localhost:6379' }, 'url is "redis://localhost:6379"'],
  [{ url: 'rediss://default:password@example.com:6379' }, 'url is a text of 42 characters'],
  [{ url: 'https://user:password@example.com' }, 'without a user'],
  [{ token: '' }, 'token is a text of 0 characters. Use the text of UPSTASH_REDIS_REST_TOKEN'],
  [{ token: 'AYNg\n' }, 'without spaces and line breaks'],
  [{ token: undefined }, 'token is undefined'],
  [{ Token: 'x' }, 'Use url, token.'],
])('restStore(%j) throws an error that names the field and the fix', (changed, message) => {
  const create = () => restStore({ ...valid, ...changed } as never);
  expect(create).toThrow(LimiterOptionError);
  expect(create).toThrow(`restStore: `);
  expect(create).toThrow(message);
  expect(create).not.toThrow('password');
});
