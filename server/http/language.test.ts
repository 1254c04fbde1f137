import { describe, expect, test } from 'vitest';
import { resolveLanguage, serializeLanguageCookie } from './language';

describe('the language is ?lang, then the cookie, then Accept-Language, then English', () => {
  test.each([
    ['/', {}, 'en'],
    ['/?lang=zh', { cookie: 'lang=en', 'accept-language': 'en' }, 'zh'],
    ['/wallet?x=%E0%A4%A&lang=en', { cookie: 'lang=zh' }, 'en'],
    ['/?lang=fr', { cookie: 'lang=zh', 'accept-language': 'en' }, 'zh'],
    ['/?lang=', { cookie: 'lang=zh' }, 'zh'],
    ['/', { cookie: 'theme=dark; lang=zh', 'accept-language': 'en' }, 'zh'],
    ['/', { cookie: 'lang=xx', 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' }, 'zh'],
    ['/', { 'accept-language': 'zh-Hant-TW' }, 'zh'],
    ['/', { 'accept-language': 'en;q=0.2, zh;q=0.7' }, 'zh'],
    ['/', { 'accept-language': 'fr, de;q=0.9' }, 'en'],
    ['/', { 'accept-language': '*' }, 'en'],
    ['/', { 'accept-language': ';;;,,q=x' }, 'en'],
  ])('%s with %j → %s', (url, headers, language) => {
    expect(resolveLanguage({ url, headers }).language).toBe(language);
  });
});

test('only ?lang with a supported language is stored', () => {
  expect(resolveLanguage({ url: '/?lang=zh', headers: {} }).isChosen).toBe(true);
  expect(resolveLanguage({ url: '/?lang=fr', headers: {} }).isChosen).toBe(false);
  expect(resolveLanguage({ url: '/', headers: { cookie: 'lang=zh' } }).isChosen).toBe(false);
});

test('the choice is stored for a year', () => {
  const cookie = serializeLanguageCookie('zh', { secure: true });
  expect(cookie).toBe('lang=zh; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax');
});
