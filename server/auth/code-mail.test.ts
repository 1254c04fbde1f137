import { expect, test } from 'vitest';
import { composeCodeMail } from './code-mail';

test.each(['en', 'zh'] as const)(
  'the mail in %s has the code in its subject, its text and its HTML',
  (language) => {
    const { subject, text, html } = composeCodeMail({ code: '012345', language });
    for (const part of [subject, text, html]) expect(part).toContain('012345');
  },
);

test('the mail in each language has the lifetime of the code', () => {
  expect(composeCodeMail({ code: '1', language: 'en' }).text).toContain('within 10 minutes');
  expect(composeCodeMail({ code: '1', language: 'zh' }).text).toContain('10 分钟内有效');
  expect(composeCodeMail({ code: '1', language: 'zh' }).html).toContain('lang="zh-Hans"');
});
