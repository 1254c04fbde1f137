import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { choosePort, listenOnFreePort } from './ports.mjs';

const open: net.Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function occupy(): Promise<string> {
  const server = net.createServer();
  open.push(server);
  return String(await listenOnFreePort(server));
}

describe('the port', () => {
  it('in PORT stops the start with an error if another program uses it', async () => {
    const PORT = await occupy();
    await expect(choosePort({ PORT })).rejects.toThrow(`Port ${PORT} from PORT is busy`);
  });

  it('in PORT may be busy while the former server stops', async () => {
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
    '%s is returned unchanged, and the server refuses it',
    async (PORT) => {
      expect(await choosePort({ PORT })).toBe(PORT);
    },
  );
});
