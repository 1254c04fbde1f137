/** Presses the button of the page as a browser without scripts does. The 101st press in a minute is refused. */
import { equal, match } from 'node:assert/strict';

const { URL: url = 'http://127.0.0.1:3000' } = process.env;
const html = await (await fetch(url)).text();
const [, action = ''] = /name="(\$ACTION_ID_[0-9a-f]+)"/.exec(html) ?? [];
for (let press = 1; press <= 101; press += 1) {
  const body = new FormData();
  body.set(action, '');
  const response = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  equal(response.status, 303);
  match(response.headers.get('location') ?? '', press <= 100 ? /\?pressed$/ : /\?retryAfterMs=\d+$/);
}
