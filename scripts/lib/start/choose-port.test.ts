import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { choosePort } from './choose-port.mjs';

const open: net.Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

function occupy(): Promise<string> {
  return new Promise((resolve) => {
    const server = net.createServer();
    open.push(server);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(String(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

describe('the port', () => {
  it('that PORT names and another program has stops the start and says so', async () => {
    const PORT = await occupy();
    await expect(choosePort({ PORT })).rejects.toThrow(`Port ${PORT} is busy`);
  });

  it('that PORT names is waited for when the former server is still ending', async () => {
    const PORT = await occupy();
    const chosen = choosePort({ PORT }, { maxWaitMs: 5_000 });
    open[0]?.close();
    expect(await chosen).toBe(PORT);
  });

  it('is the first free one from 3000 to 3010 when PORT is unset or empty', async () => {
    const port = Number(await choosePort({ PORT: '' }));
    expect(port).toBeGreaterThanOrEqual(3000);
    expect(port).toBeLessThanOrEqual(3010);
  });

  it.each(['abc', '0', '70000', '3000.5'])(
    '%s is left to the server, which names every bad setting',
    async (PORT) => {
      expect(await choosePort({ PORT })).toBe(PORT);
    },
  );
});
