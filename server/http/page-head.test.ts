import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRouterState, limitPageHead, refusePageHead } from './page-head';

describe('the head of a page request', () => {
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
      expect(
        statusOf({ method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
      ).toBe(405);
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
});

describe('Next-Router-State-Tree', () => {
  /** Next's own parser, which throws for an invalid header. */
  const parseAsNext: unknown = createRequire(import.meta.url)(
    'next/dist/server/app-render/parse-and-validate-flight-router-state.js',
  ).parseAndValidateFlightRouterState;

  function isParsedByNext(header: string): boolean {
    if (typeof parseAsNext !== 'function') throw new Error('Next has moved its parser of the header.');
    try {
      parseAsNext(header);
      return true;
    } catch {
      return false;
    }
  }

  const headerOf = (state: unknown) => encodeURIComponent(JSON.stringify(state));

  const types = [
    'c',
    'ci(..)(..)',
    'ci(.)',
    'ci(..)',
    'ci(...)',
    'oc',
    'd',
    'di(..)(..)',
    'di(.)',
    'di(..)',
    'di(...)',
  ];
  const text = fc.constantFrom('', 'children', 'wallet', '__PAGE__', '…', '__proto__');
  const segment = fc.oneof(
    text,
    fc.tuple(text, text, fc.constantFrom(...types), fc.option(fc.array(text, { maxLength: 2 }))),
  );
  const optional = [
    fc.option(fc.tuple(text, text)),
    fc.option(fc.constantFrom('refetch', 'inside-shared-layout', 'metadata-only')),
    fc.option(fc.integer()),
    text,
  ] as const;

  /** States of Next's router, at most four levels deep. */
  const { state } = fc.letrec<{ state: unknown[]; slots: object }>((tie) => ({
    slots: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      fc.constant({}),
      fc.dictionary(text, tie('state'), { maxKeys: 2 }),
    ),
    state: fc
      .tuple(segment, tie('slots'), ...optional, fc.integer({ min: 2, max: 6 }))
      .map((all) => all.slice(0, all[6])),
  }));

  describe('a router state of any shape', () => {
    test('that Next sends is accepted', () => {
      fc.assert(
        fc.property(state, (value) => {
          const header = headerOf(value);
          fc.pre(header.length <= 2_048);
          expect([isRouterState(header), isParsedByNext(header)]).toEqual([true, true]);
        }),
        { seed: 14, numRuns: 300 },
      );
    });

    test('that is accepted can be parsed by Next', () => {
      const parts = fc.oneof(
        fc.jsonValue(),
        text,
        segment,
        state,
        fc.constantFrom(...types, 'refetch', null, 0, true),
      );
      const damaged = fc
        .tuple(state, fc.nat(6), parts)
        .map(([value, index, part]) => [...value.slice(0, index), part, ...value.slice(index + 1)]);
      const nested = fc.tuple(text, fc.dictionary(text, damaged, { maxKeys: 2 }));
      fc.assert(
        fc.property(fc.oneof(damaged, nested, fc.jsonValue()), (value) => {
          const header = headerOf(value);
          if (isRouterState(header)) expect(isParsedByNext(header)).toBe(true);
        }),
        { seed: 14, numRuns: 300 },
      );
    });

    test.each([
      '',
      'x',
      '%FF',
      '%',
      '[]',
      '[""]',
      '{}',
      'null',
      '1',
      '["",{}]x',
      '["",1]',
      '["",{"a":null}]',
    ])('that is %j is refused, as by Next', (header) => {
      expect([isRouterState(header), isParsedByNext(header)]).toEqual([false, false]);
    });
  });

  /** Creates a state with this number of nested segments. */
  function nested(levels: number): unknown {
    return levels === 1 ? ['', {}] : ['', { children: nested(levels - 1) }];
  }

  describe('a router state that is too costly', () => {
    test('has more than 12 levels', () => {
      expect(isRouterState(headerOf(nested(12)))).toBe(true);
      expect(isRouterState(headerOf(nested(13)))).toBe(false);
    });

    test('has more than 2 kB', () => {
      const ofLength = (length: number) => `["${'x'.repeat(length - '["",{}]'.length)}",{}]`;
      expect(isRouterState(ofLength(2_048))).toBe(true);
      expect(isRouterState(ofLength(2_049))).toBe(false);
    });
  });
});
