import { EventEmitter, once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openConnection, sendRequest } from '../../test/http-server';
import { createTestListener, startTestListener } from '../../test/listener';

describe('when the server drains', () => {
  test('pending answers are completed with Connection: close', async () => {
    const { port, pages, listener, lines } = await startTestListener();
    const begun = new EventEmitter();
    const finish = new EventEmitter();
    pages.handle = async (_req, res) => {
      const finished = once(finish, 'now');
      begun.emit('page');
      await finished;
      res.end('whole page');
    };
    const started = once(begun, 'page');
    const page = sendRequest(port, { path: '/slow' });
    await started;
    const closed = listener.close();
    finish.emit('now');
    expect(await page).toMatchObject({ status: 200, body: 'whole page', headers: { connection: 'close' } });
    await closed;
    expect(lines).toEqual([]);
  });

  test('a connection that was accepted while draining is answered, also after idle ones are closed', async () => {
    const { port, listener } = await startTestListener();
    const idle = await openConnection(port);
    idle.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await idle.waitForText(/alive/);
    const ended = listener.close();
    const late = await openConnection(port);
    const silent = await openConnection(port);
    await idle.closed;
    late.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await late.waitForText(/connection: close[\s\S]*alive/);
    await Promise.all([ended, late.closed, silent.closed]);
  });

  test('a busy connection gets 503 from /readyz and then closes', async () => {
    const { port, pages, listener } = await startTestListener();
    const { socket, waitForText, received, closed } = await openConnection(port);
    const progress = new EventEmitter();
    pages.handle = async (_req, res) => {
      const finished = once(progress, 'finish');
      res.write('half ');
      await finished;
      res.end('whole');
    };
    socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await waitForText(/half/);
    const ended = listener.close();
    socket.write(
      'GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n',
    );
    pages.handle = async () => void progress.emit('finish');
    await ended;
    await closed;
    expect(received()).toMatch(/whole[\s\S]*HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*"draining":true/);
  });

  test('an answer that takes more than 3 s is cut off', async () => {
    const { port, pages, listener } = await startTestListener();
    const begun = new EventEmitter();
    const started = once(begun, 'page');
    pages.handle = () => {
      begun.emit('page');
      return new Promise(() => undefined);
    };
    const { socket, closed } = await openConnection(port);
    socket.write('GET /never HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await started;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const ended = listener.close();
    vi.advanceTimersByTime(2_999);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    await Promise.all([ended, closed]);
  });

  test('a second close waits for the first, and a listener that never started closes', async () => {
    const { listener: running } = await startTestListener();
    await Promise.all([running.close(), running.close()]);
    await createTestListener().listener.close();
  });

  test('no new connection is accepted', async () => {
    const { port, listener } = await startTestListener();
    await listener.close();
    await expect(sendRequest(port, { path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
  });
});
