import { expect, test } from 'vitest';
import { mailSender } from './smtp-mailer';

const publicOrigin = 'https://sale.example.com:8443';

test.each([
  [
    'what the URL states',
    'smtp://bot%40example.com:x@mail.example?from=Sale@Example.com',
    'sale@example.com',
  ],
  ['its user, where that is an address', 'smtps://bot%40example.com:x@mail.example', 'bot@example.com'],
  ['the host of the public origin', 'smtp://bot:x@mail.example', 'no-reply@sale.example.com'],
])('the sender is %s', (_rule, smtpUrl, sender) =>
  expect(mailSender({ smtpUrl, publicOrigin })).toBe(sender),
);

test.each([
  ['smtp://mail.example:2525', 'no-reply@mail.example'],
  ['smtp://127.0.0.1:2525', 'no-reply@localhost'],
  ['smtp://[::1]', 'no-reply@localhost'],
])('without a public origin %s sends as %s', (smtpUrl, sender) =>
  expect(mailSender({ smtpUrl })).toBe(sender),
);
