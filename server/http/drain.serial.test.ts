import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openConnection } from '../../test/http-server';
import { startTestListener } from '../../test/listener';

describe('on SIGTERM while 50 clients send requests', () => {
  test.each([
    { how: 'on connections that they keep', keepAlive: true, mayBeReset: 0 },
    // The kernel may complete a connection between the last accept and the end of listening.
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

test('streams and idle connections close immediately', async () => {
  const { port, listener } = await startTestListener();
  const [stream, idle, silent] = [
    await openConnection(port),
    await openConnection(port),
    await openConnection(port),
  ];
  stream.socket.write('GET /api/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
  idle.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await stream.waitForText(/event: windows/);
  await idle.waitForText(/alive/);
  const begun = performance.now();
  await listener.close();
  expect(performance.now() - begun).toBeLessThan(1_000);
  await Promise.all([stream.closed, idle.closed, silent.closed]);
  expect(stream.received()).toMatch(/\r\n0\r\n\r\n$/);
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
