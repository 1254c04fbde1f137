import { describe, expect, test } from 'vitest';
import { limitPageHead, refusePageHead } from './page-head';

const page = (head: { method?: string; url?: string; headers?: Record<string, string> }) => ({
  method: 'GET',
  url: '/wallet',
  headers: {},
  ...head,
});
const statusOf = (head: Parameters<typeof page>[0]) => refusePageHead(page(head))?.status;

describe('Next does not get a request', () => {
  test('that calls a server action, in either form', () => {
    expect(statusOf({ headers: { 'next-action': 'x' } })).toBe(404);
    expect(statusOf({ method: 'POST', headers: { 'next-action': '' } })).toBe(404);
    expect(statusOf({ method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=x' } })).toBe(
      405,
    );
  });

  test('with another method than GET and HEAD', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
      expect(statusOf({ method })).toBe(405);
    expect(statusOf({ method: 'HEAD' })).toBeUndefined();
    expect(statusOf({ method: 'POST', url: '/__nextjs_original-stack-frames' })).toBeUndefined();
  });

  test('with a router state that it cannot parse', () => {
    const stateHeader = (value: string) => ({ headers: { rsc: '1', 'next-router-state-tree': value } });
    expect(statusOf(stateHeader('x'))).toBe(400);
    expect(statusOf(stateHeader(''))).toBe(400);
    expect(statusOf(stateHeader(`["${'x'.repeat(15_000)}",{}]`))).toBe(400);
    expect(statusOf(stateHeader(encodeURIComponent('["",{"children":["wallet",{}]}]')))).toBeUndefined();
    expect(statusOf({ headers: { rsc: '1' } })).toBeUndefined();
  });

  test('with too many parameters', () => {
    const address = (count: number) => ({
      url: `/lab?${Array.from({ length: count }, () => 'x=1').join('&')}`,
    });
    expect(statusOf(address(100))).toBeUndefined();
    expect(statusOf(address(101))).toBe(400);
    expect(statusOf({ url: `/lab?at=${'1.'.repeat(4_000)}` })).toBeUndefined();
  });
});

describe('Next gets a changed request head', () => {
  const limited = (url: string, headers: Record<string, string> = {}) => {
    const head = page({ url, headers });
    limitPageHead(head);
    return head;
  };

  test('for a long User-Agent', () => {
    expect(limited('/', { 'user-agent': 'a'.repeat(15_000) }).headers).toEqual({
      'user-agent': 'a'.repeat(512),
    });
    expect(limited('/', { 'user-agent': 'Mozilla/5.0' }).headers).toEqual({ 'user-agent': 'Mozilla/5.0' });
    expect(limited('/').headers).toEqual({});
  });

  test.each([
    ['/merchants/%FF', '/_not-found'],
    ['/merchants/%?lang=zh', '/_not-found?lang=zh'],
    ['/_global-error?x=%', '/_not-found?x=%'],
    ['/wallet/%2e%2e/./_global-error', '/_not-found'],
    ['/merchants/_global-error', '/merchants/_global-error'],
    ['/merchants/%E4%B8%AD?q=%FF', '/merchants/%E4%B8%AD?q=%FF'],
  ])('for a path that is no page: %s', (url, other) => {
    expect(limited(url).url).toBe(other);
  });
});
