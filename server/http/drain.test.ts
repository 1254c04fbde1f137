import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Agent, request } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask, connectTo } from '../../test/http-server';
import { listenerOf, listening } from '../../test/listener';

describe('when it ends', () => {
  test('answers under way are finished, and say that they are the last', async () => {
    const { port, pages, listener, lines } = await listening();
    const begun = new EventEmitter();
    const finish = new EventEmitter();
    pages.handle = async (_req, res) => {
      const finished = once(finish, 'now');
      begun.emit('page');
      await finished;
      res.end('whole page');
    };
    const started = once(begun, 'page');
    const page = ask(port, { path: '/slow' });
    await started;
    const closed = listener.close();
    finish.emit('now');
    expect(await page).toMatchObject({ status: 200, body: 'whole page', headers: { connection: 'close' } });
    await closed;
    expect(lines).toEqual([]);
  });

  test('streams, idle connections and those that sent nothing end at once', async () => {
    const { port, listener } = await listening();
    const [stream, idle, silent] = [await connectTo(port), await connectTo(port), await connectTo(port)];
    stream.socket.write('GET /api/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
    idle.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await stream.receives(/event: windows/);
    await idle.receives(/alive/);
    const begun = performance.now();
    await listener.close();
    expect(performance.now() - begun).toBeLessThan(1_000);
    await Promise.all([stream.closed, idle.closed, silent.closed]);
    expect(stream.received()).toMatch(/\r\n0\r\n\r\n$/);
  });

  test('a connection that is still busy hears that the node is not ready, and then it ends', async () => {
    const { port, pages, listener } = await listening();
    const { socket, receives, received, closed } = await connectTo(port);
    const progress = new EventEmitter();
    pages.handle = async (_req, res) => {
      const finished = once(progress, 'finish');
      res.write('half ');
      await finished;
      res.end('whole');
    };
    socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await receives(/half/);
    const ended = listener.close();
    socket.write(
      'GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n',
    );
    pages.handle = async () => void progress.emit('finish');
    await ended;
    await closed;
    expect(received()).toMatch(/whole[\s\S]*HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*"draining":true/);
  });

  test('an answer that does not come is cut off after 3 s', async () => {
    const { port, pages, listener } = await listening();
    const begun = new EventEmitter();
    const started = once(begun, 'page');
    pages.handle = () => {
      begun.emit('page');
      return new Promise(() => undefined);
    };
    const { socket, closed } = await connectTo(port);
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

  test('a second call waits for the first, and a listener that never began ends too', async () => {
    const { listener: running } = await listening();
    await Promise.all([running.close(), running.close()]);
    await listenerOf().listener.close();
  });

  test('no new connection is taken', async () => {
    const { port, listener } = await listening();
    await listener.close();
    await expect(ask(port, { path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
  });
});

describe('on SIGTERM while 50 clients send requests', () => {
  test.each([
    { how: 'on connections that they keep', keepAlive: true, mayBeReset: 0 },
    // The kernel may complete a connection between the last look at the queue and the end of listening.
    { how: 'on a connection each', keepAlive: false, mayBeReset: 2 },
  ])('$how, each request is answered or its connection refused', async ({ keepAlive, mayBeReset }) => {
    const child = fork('test/listener-process.ts', { execArgv: ['--import', 'tsx'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [port] = await once(child, 'message');
    const exited = once(child, 'exit');
    const outcomes = { answered: 0, refused: 0, reset: 0 };
    const sendUntilRefused = async () => {
      const agent = keepAlive ? new Agent({ keepAlive, maxSockets: 1 }) : false;
      for (let outcome: keyof typeof outcomes = 'answered'; outcome !== 'refused'; ) {
        outcome = await outcomeOf({ port, agent });
        outcomes[outcome] += 1;
        if (outcomes.answered === 300) child.kill('SIGTERM');
      }
    };
    await Promise.all(Array.from({ length: 50 }, sendUntilRefused));
    expect(await exited).toEqual([0, null]);
    expect(outcomes.refused).toBe(50);
    expect(outcomes.reset).toBeLessThanOrEqual(mayBeReset);
    expect(outcomes.answered).toBeGreaterThan(300);
  });
});

function outcomeOf({ port, agent }: { port: number; agent: Agent | false }) {
  return new Promise<'answered' | 'refused' | 'reset'>((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, agent, path: '/' }, (res) => {
      res.once('error', () => resolve('reset')).once('end', () => resolve('answered'));
      res.resume();
    });
    req.once('error', (error: NodeJS.ErrnoException) => {
      if (error.syscall === 'connect') resolve('refused');
      else if (error.code === 'ECONNRESET') resolve('reset');
      else reject(error);
    });
    req.end();
  });
}
