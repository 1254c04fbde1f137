import { spawn, execFileSync } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { startRedis } from './test/services/redis';
import { startRestServer } from './test/services/rest-server';
const dir = '/tmp/edge-run/w';
await build({ entryPoints: [`${dir}/worker.ts`], bundle: true, format: 'esm', outfile: `${dir}/out.js`, external: ['cloudflare:*'], conditions: ['workerd','worker','browser'], define: process.env.ISOLATED === '0' ? {'globalThis.navigator': '{}'} : {}, logLevel: 'error' });
const redis = await startRedis();
const rest = await startRestServer(redis.url);
const port = 18787;
writeFileSync(`${dir}/config.capnp`, readFileSync(`${dir}/config.capnp.tpl`, 'utf8').replace('PORT', String(port)).replace('RESTURL', rest.url).replace('RESTTOKEN', rest.token));
const child = spawn('/tmp/edge-run/node_modules/.bin/workerd', ['serve', `${dir}/config.capnp`, '--verbose'], { stdio: ['ignore', openSync('/tmp/edge-run/w/log', 'w'), openSync('/tmp/edge-run/w/log', 'a')] });
const get = async (path: string, ip: string, signal?: AbortSignal) => { try { const r = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'cf-connecting-ip': ip }, signal: signal ?? AbortSignal.timeout(10000) }); const text = await r.text();  return r.status; } catch (e) { return String(e); } };
for (let i = 0; i < 100; i++) { if (typeof (await get('/info', 'x')) === 'number') break; await new Promise((r) => setTimeout(r, 50)); }
console.log(await (await fetch(`http://127.0.0.1:${port}/info`)).text());
const count = (list: unknown[]) => JSON.stringify(Object.entries(list.reduce((m: any, s: any) => ({ ...m, [s]: (m[s] ?? 0) + 1 }), {})));
let t = performance.now();
console.log('20 at once', count(await Promise.all(Array.from({ length: 20 }, () => get('/', '192.0.2.1')))), performance.now() - t);
t = performance.now();
console.log('20 again', count(await Promise.all(Array.from({ length: 20 }, () => get('/', '192.0.2.1')))), performance.now() - t);
console.log('requests', rest.requests.length);
// each of 20 different callers
console.log('20 callers', count(await Promise.all(Array.from({ length: 20 }, (_, i) => get('/', `192.0.3.${i}`)))));
console.log('requests', rest.requests.length);
for (let i = 0; i < 8; i++) console.log('slots', count(await Promise.all(Array.from({ length: 3 }, () => get('/slot', '192.0.2.1')))));
console.log('requests', rest.requests.length);
// aborted requests while the store is slow
const send = rest.send;
rest.send = () => undefined;
console.log('hang', count(await Promise.all(Array.from({ length: 6 }, () => get('/', '192.0.4.1', AbortSignal.timeout(300))))));
rest.send = send;
console.log('after', count(await Promise.all(Array.from({ length: 20 }, () => get('/', '192.0.4.1')))));
rest.send = () => undefined;
console.log('timeouts', count(await Promise.all(Array.from({ length: 6 }, () => get('/', '192.0.5.1')))));
rest.send = send;
for (let i = 0; i < 30; i++) { const s = await get('/', '192.0.6.1'); if (s === 200) { console.log('back after', i); break; } await new Promise((r) => setTimeout(r, 100)); }
child.kill(); rest.stop(); await redis.stop(); process.exit();
