import { expect, test } from 'vitest';
import { demoCoupons } from './seed';
import { demoMerchants } from './seed-merchants';

const now = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const coupons = demoCoupons(now);
const seckills = coupons.filter(({ kind }) => kind === 'seckill');
const claims = coupons.filter(({ kind }) => kind === 'claim');
const liveAt = (at: number) =>
  seckills.filter(({ startsAt, endsAt }) => startsAt.getTime() <= at && at < endsAt.getTime());

test('every text exists in both languages, and the Chinese one is Chinese', () => {
  const texts = [
    ...demoMerchants.flatMap(({ name, category, address, about }) => [name, category, address, about]),
    ...coupons.map(({ title }) => title),
  ];
  for (const { en, zh } of texts) {
    expect(en).toMatch(/[A-Za-z]{2}/);
    expect(zh).toMatch(/\p{Script=Han}{2}/u);
  }
});

test('at least 10 merchants and 12 coupons with readable ids, every merchant with a coupon', () => {
  expect(demoMerchants.length).toBeGreaterThanOrEqual(10);
  expect(coupons.length).toBeGreaterThanOrEqual(12);
  const ids = [...demoMerchants, ...coupons].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  expect(new Set(coupons.map(({ merchantId }) => merchantId))).toEqual(
    new Set(demoMerchants.map(({ id }) => id)),
  );
});

test('the live sales have 300, 10 000 and 100 pieces; one begins in two minutes, one has just ended', () => {
  expect(liveAt(now).map(({ stock }) => stock)).toEqual([300, 10_000, 100]);
  const upcoming = seckills.filter(({ startsAt }) => startsAt.getTime() > now);
  expect(upcoming.map(({ startsAt }) => startsAt.getTime() - now)).toEqual([2 * MINUTE]);
  expect(seckills.filter(({ endsAt }) => endsAt.getTime() <= now)).toHaveLength(1);
});

test('the first sale has the largest saving and outlasts two crowds of the demo; one sale is free', () => {
  const savings = seckills.map(({ faceValueCents, priceCents }) => faceValueCents - priceCents);
  expect(savings.indexOf(Math.max(...savings))).toBe(0);
  expect(seckills[0]?.stock).toBe(2 * 150);
  expect(seckills.filter(({ priceCents }) => priceCents === 0)).toHaveLength(1);
});

test('a number in a title is not separated from its unit', () => {
  for (const { title } of coupons) expect(Object.values(title).join()).not.toMatch(/\d [a-z克]/);
});

test('sales last for days and claims for a year', () => {
  expect(liveAt(now + 2 * DAY)).toHaveLength(4);
  for (const { endsAt, priceCents } of claims) {
    expect(priceCents).toBe(0);
    expect(endsAt.getTime() - now).toBe(365 * DAY);
  }
});
