import { expect, test } from 'vitest';
import { demoNotice } from './start-node';

test('a demo that only this machine can reach has no notice', () => {
  expect(demoNotice({ host: '127.0.0.1', port: 3000 })).toBeUndefined();
  expect(demoNotice({ host: 'localhost', port: 3000 })).toBeUndefined();
});

test('a demo on the network warns that everybody can become its admin', () => {
  expect(demoNotice({ host: '0.0.0.0', port: 3000 })).toMatch(
    /WARNING: this is a demo\. .* sign in as its admin/,
  );
});

test('a demo with a public origin warns, also behind a proxy on this machine', () => {
  const notice = demoNotice({ host: '127.0.0.1', port: 3000, publicOrigin: 'https://sale.example.com' });
  expect(notice).toMatch(/^On the internet: https:\/\/sale\.example\.com\nWARNING: this is a demo\./);
});
