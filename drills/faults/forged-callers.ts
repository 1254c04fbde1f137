import { randomBytes } from 'node:crypto';
import { createSessions } from '../../server/http/session';
import type { Drill, Scene } from '../drill';

const PER_NODE = 120;
const MERCHANTS_PER_SECOND = 5;

/** A forged header neither changes the identity of a caller nor multiplies it. */
export const forgedCallers: Drill = {
  name: 'forged-callers',
  description: 'forged cookies and addresses, and one IPv6 network that calls from many addresses',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  // The first node has no proxy. The others trust this machine as their proxy.
  nodeEnv: (index): Record<string, string> => (index === 0 ? {} : { TRUSTED_PROXIES: '127.0.0.1/32' }),
  async inject(scene) {
    await forgeCookies(scene);
    await forgeAddresses(scene);
  },
};

async function forgeCookies({ topology, couponId, cookieOf, note, reportProblem }: Scene): Promise<void> {
  const others = createSessions({ secrets: ['a secret that the nodes do not have'], secure: false });
  const [name = '', value = ''] = cookieOf('shopper-1').split('=');
  const [payload = '', signature = ''] = decodeURIComponent(value).replace(/^s:/, '').split('.');
  const asAnother = Buffer.from(
    Buffer.from(payload, 'base64url').toString().replace('shopper-1', 'shopper-2'),
  ).toString('base64url');
  const forged = [
    others.createCookieHeader({ id: 'shopper-1', name: 'A shopper', role: 'shopper' }),
    others.createCookieHeader({ id: 'root', name: 'An admin', role: 'admin' }),
    `${name}=${encodeURIComponent(`${asAnother}.${signature}`)}`,
    `${name}=${encodeURIComponent(`${payload}.${signature.slice(0, -2)}AA`)}`,
    `${name}=${encodeURIComponent(payload)}`,
    `${name}=`,
  ];
  let sent = 0;
  for (const { url } of topology.nodes) {
    for (let call = 0; call < PER_NODE; call++) {
      const cookie = forged[call % forged.length] ?? '';
      const { status } = await post(`${url}/api/trpc/coupon.seckill`, { couponId }, { cookie });
      sent += 1;
      if (status !== 401) reportProblem(`a forged cookie was answered ${status}`);
    }
  }
  note(`${sent} forged cookies`);
}

/** Each kind of forged header is one caller, which is admitted 5 times a second in total. */
async function forgeAddresses(scene: Scene): Promise<void> {
  const [bare, ...behindProxy] = scene.topology.nodes.map(({ url }) => url);
  const block = () => randomBytes(8).toString('hex').match(/.{4}/g)?.join(':') ?? '';
  await Promise.all([
    expectOneCaller(scene, 'X-Forwarded-For without a proxy', [bare ?? ''], () => ({
      'x-forwarded-for': `198.51.100.${Math.floor(Math.random() * 256)}`,
      forwarded: `for=198.51.100.${Math.floor(Math.random() * 256)}`,
      'x-real-ip': '192.0.2.1',
    })),
    expectOneCaller(scene, 'forged addresses to the left of the proxy’s', behindProxy, () => ({
      'x-forwarded-for': `198.51.100.${Math.floor(Math.random() * 256)}, 203.0.113.7`,
    })),
    expectOneCaller(scene, 'one IPv6 /64', behindProxy, () => ({
      'x-forwarded-for': `2001:db8:1:2:${block()}`,
    })),
  ]);
}

async function expectOneCaller(
  { note, reportProblem }: Scene,
  description: string,
  urls: readonly string[],
  headers: () => Record<string, string>,
): Promise<void> {
  const began = performance.now();
  let [sent, admitted] = [0, 0];
  while (performance.now() - began < 3_000) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, call) =>
        fetch(`${urls[call % urls.length]}/api/trpc/merchant.list?input=%7B%7D`, { headers: headers() }),
      ),
    );
    for (const answer of answers) {
      await answer.arrayBuffer();
      sent += 1;
      if (answer.ok) admitted += 1;
    }
  }
  // The maximum number of one-second windows between the first call and the last answer.
  const windows = Math.floor((performance.now() - began) / 1_000) + 1;
  const maxAdmitted = MERCHANTS_PER_SECOND * windows;
  note(`${description}: ${admitted} of ${sent} admitted, at most ${maxAdmitted}`);
  if (admitted > maxAdmitted || admitted === 0)
    reportProblem(`${description}: ${admitted} of ${sent} were admitted, at most ${maxAdmitted} may be`);
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<{ status: number }> {
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  await answer.arrayBuffer();
  return { status: answer.status };
}
