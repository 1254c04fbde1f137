import { createServer, type Socket } from 'node:net';
import { listenOnFreePort } from '../scripts/lib/ports.mjs';

export interface SmtpMail {
  from: string;
  to: string[];
  /** Header fields and body as sent, without the dots of RFC 5321, section 4.5.2. */
  data: string;
}

export interface TestSmtpServer {
  /** `smtp://127.0.0.1:<port>` */
  url: string;
  mails: SmtpMail[];
  /** Replies to later commands by verb, such as `{ RCPT: '550 5.1.1 No such user' }`. '' sends no reply. */
  answers: Record<string, string>;
  close(): Promise<void>;
}

/** Starts a minimal mail server without TLS and sign-in, which keeps mails in memory. */
export async function startSmtpServer(): Promise<TestSmtpServer> {
  const mails: SmtpMail[] = [];
  const answers: Record<string, string> = {};
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    sockets.add(socket.setEncoding('utf8'));
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let mail: SmtpMail = { from: '', to: [], data: '' };
    let buffer = '';
    let inData = false;
    const reply = (verb: string, normalReply: string) => {
      const text = answers[verb] ?? normalReply;
      if (text) socket.write(`${text}\r\n`);
    };

    function onCommand(line: string): void {
      const verb = line.slice(0, 4).toUpperCase();
      const path = /<([^>]*)>/.exec(line)?.[1] ?? '';
      if (verb === 'MAIL') mail = { from: path, to: [], data: '' };
      if (verb === 'RCPT') mail.to.push(path);
      if (verb === 'DATA') inData = true;
      reply(verb, verb === 'DATA' ? '354 Go on' : '250 OK');
      if (verb === 'QUIT') socket.end();
    }

    socket.on('data', (text: string) => {
      buffer += text;
      for (;;) {
        const terminator = inData ? '\r\n.\r\n' : '\r\n';
        const end = buffer.indexOf(terminator);
        if (end === -1) return;
        const part = buffer.slice(0, end);
        buffer = buffer.slice(end + terminator.length);
        if (inData) {
          inData = false;
          mails.push({ ...mail, data: part.replaceAll('\r\n..', '\r\n.') });
          reply('BODY', '250 Taken');
        } else onCommand(part);
      }
    });
    reply('GREETING', '220 test');
  });

  const port = await listenOnFreePort(server);
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    answers,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
