import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill } from '../drill';

const EACH = 150;
const HELD_MS = 10_000;
/** The maximum growth of a node: each slow client holds little memory. */
const MAX_GROWTH_MB = 150;

/** Opens half-sent requests, half-sent bodies and unread live streams. */
export const slowClients: Drill = {
  name: 'slow-clients',
  description: '150 half-sent requests, half-sent bodies and unread live streams for 10 s, on each node',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, note, reportProblem }) {
    const urls = topology.nodes.map(({ url }) => url);
    const before = await Promise.all(urls.map(memoryMb));
    const sockets = urls.flatMap((url) => [
      ...open(url, 'POST /api/trpc/coupon.seckill HTTP/1.1\r\nHost: floodgate\r\nX-Slow:'),
      ...open(
        url,
        'POST /api/trpc/coupon.seckill HTTP/1.1\r\nHost: floodgate\r\nContent-Type: application/json\r\n' +
          'Content-Length: 30000\r\n\r\n{"couponId":"',
      ),
      ...open(url, 'GET /api/live HTTP/1.1\r\nHost: floodgate\r\n\r\n'),
    ]);
    try {
      for (let waited = 0; waited < HELD_MS; waited += 500) {
        await sleep(500);
        // One more byte every 500 ms: an idle timeout alone would never close these connections.
        for (const socket of sockets) if (socket.writable) socket.write('x');
      }
      const grownMb = (await Promise.all(urls.map(memoryMb))).map((now, index) => now - (before[index] ?? 0));
      note(`${sockets.length} slow clients, nodes grew by ${grownMb.map(Math.round).join(', ')} MB`);
      if (Math.max(...grownMb) > MAX_GROWTH_MB) reportProblem(`a node grew by ${Math.max(...grownMb)} MB`);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  },
};

function open(url: string, text: string): Socket[] {
  const { hostname, port } = new URL(url);
  return Array.from({ length: EACH }, () => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    // Answers are not read, and the server may close the connection.
    socket.pause();
    socket.on('error', () => socket.destroy());
    return socket;
  });
}

async function memoryMb(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)/m.exec(text)?.[1]) / 1024 / 1024;
}
