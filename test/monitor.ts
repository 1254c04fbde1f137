import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';

const ARGUMENT = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Returns the commands that Redis executes during some work, including those of its functions, as MONITOR prints them.
 * ioredis's own monitor fails if the reply to MONITOR and the first command arrive in one chunk.
 */
export async function monitorCommands(url: string, work: () => Promise<unknown>): Promise<string[][]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = createInterface({ input: socket });
  const commands: string[][] = [];
  const end = randomUUID();
  const client = new Redis(url);
  try {
    socket.write('MONITOR\r\n');
    await once(lines, 'line');
    const seen = new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        const command = [...line.matchAll(ARGUMENT)].map(([, argument = '']) => argument);
        if (command.includes(end)) resolve();
        else commands.push(command);
      });
    });
    await work();
    await client.echo(end);
    await seen;
    return commands;
  } finally {
    client.disconnect();
    socket.destroy();
  }
}
