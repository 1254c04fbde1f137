import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { demoCoupons } from '../../server/demo/seed';
import { demoMerchants } from '../../server/demo/seed-merchants';
import { root } from '../../server/paths';
import { type PictureName, pictureOfCoupon, pictureOfMerchant } from './picture';

const MAX_BYTES = 4_096;
const pictures = (['coupons', 'merchants', 'categories', 'pages'] as const).flatMap(readSheet);
const find = ({ sheet, id }: PictureName) =>
  pictures.find((picture) => picture.sheet === sheet && picture.id === id);

describe.each(pictures)('the picture $sheet/$id', ({ svg }) => {
  test('has at most 4 kB', () => {
    expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(MAX_BYTES);
  });

  test('takes every colour from a token of the pictures', () => {
    const colours = [...svg.matchAll(/(?:fill|stroke|color|stop-color|style|class)="([^"]*)"/g)].map(
      ([, value]) => value,
    );
    expect(
      colours.filter((colour) => colour !== 'none' && !/^var\(--pic-[1-6]\)$/.test(colour ?? '')),
    ).toEqual([]);
    expect(svg, 'no shape is black because it lacks a colour').not.toMatch(
      /<(?:path|circle|ellipse|rect)(?![^>]*\bfill=)/,
    );
    expect(svg).not.toMatch(/<(?:style|image|text|script|use|linearGradient|filter)\b/);
  });

  test('uses two to six tones and stands on the table line', () => {
    const tones = new Set(svg.match(/--pic-\d/g));
    expect(tones.size).toBeGreaterThanOrEqual(2);
    expect(tones.size).toBeLessThanOrEqual(6);
    expect(svg).toContain('M0 80h160v');
  });

  test('continues above and below, for a frame that is narrower than the picture', () => {
    expect(svg).toMatch(/^<symbol [^>]*overflow="visible"/);
    expect(svg, 'the backdrop').toContain('M0-900h160v1300H0z');
    expect(svg, 'the table').toContain('M0 80h160v320H0z');
  });
});

test('every demo merchant has its own picture', () => {
  for (const { id, category } of demoMerchants) {
    const name = pictureOfMerchant({ id, category: category.en });
    expect(name, id).toEqual({ sheet: 'merchants', id });
    expect(find(name), id).toBeDefined();
  }
});

test('every demo coupon has its own picture, in every round', () => {
  const merchant = { name: '', category: '', address: '' };
  for (const { id, merchantId } of demoCoupons(0)) {
    const name = pictureOfCoupon({ id, merchantId, merchant });
    expect(name.sheet, id).toBe('coupons');
    expect(find(name), id).toBeDefined();
    expect(pictureOfCoupon({ id: id.replace(/-r1$/, '-r27'), merchantId, merchant })).toEqual(name);
  }
});

test('no two demo coupons or merchants share a picture, and none is unused', () => {
  const drawn = pictures
    .filter(({ sheet }) => sheet === 'coupons' || sheet === 'merchants')
    .map(({ id }) => id);
  expect(new Set(drawn).size).toBe(demoMerchants.length + demoCoupons(0).length);
  expect(new Set(pictures.map(({ svg }) => svg.replace(/id="[^"]*"/, ''))).size).toBe(pictures.length);
});

test.each(demoMerchants)(
  'a new merchant of the category $category.en has a picture in both languages',
  (m) => {
    for (const category of Object.values(m.category)) {
      const name = pictureOfMerchant({ id: 'new', category });
      expect(name).toMatchObject({ sheet: 'categories' });
      expect(name.id, category).not.toBe('shop');
      expect(find(name), category).toBeDefined();
    }
  },
);

test('a coupon of an operator has the picture of its merchant, else of the category, else a market stall', () => {
  const at = (merchantId: string, category: string) =>
    pictureOfCoupon({
      id: '4f0c9a52-7a3e-4d0b-9d51-6a2f3c1e8b70',
      merchantId,
      merchant: { category },
    });
  expect(at('quiet-kiln', 'Workshop')).toEqual({ sheet: 'merchants', id: 'quiet-kiln' });
  expect(at('new', 'Books & maps')).toEqual({ sheet: 'categories', id: 'books' });
  expect(at('new', 'Umbrellas')).toEqual({ sheet: 'categories', id: 'shop' });
  expect(find(at('new', 'Umbrellas'))).toBeDefined();
});

function readSheet(sheet: PictureName['sheet']): { sheet: PictureName['sheet']; id: string; svg: string }[] {
  const text = readFileSync(path.join(root, 'app/_pictures', `${sheet}.svg`), 'utf8');
  const symbols = [...text.matchAll(/<symbol id="([^"]+)".*?<\/symbol>/gs)];
  return symbols.map(([svg, id = '']) => ({ sheet, id, svg }));
}
