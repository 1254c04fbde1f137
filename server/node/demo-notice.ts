import { networkInterfaces } from 'node:os';
import { isLoopbackName } from '../http/server-address';

export interface DemoNoticeOptions {
  host: string;
  port: number;
  publicOrigin?: string | undefined;
}

/** Returns a warning for a demo that others can reach, because every visitor can sign in as its admin. */
export function demoNotice({ host, port, publicOrigin }: DemoNoticeOptions): string | undefined {
  const isLocal = isLoopbackName(host);
  if (isLocal && publicOrigin === undefined) return undefined;
  const addresses = isLocal ? [] : lanAddresses(port);
  return [
    ...(addresses.length > 0 ? [`On this network: ${addresses.join(' ')}`] : []),
    ...(publicOrigin === undefined ? [] : [`On the internet: ${publicOrigin}`]),
    'WARNING: this is a demo. Everybody who can reach it can sign in as its admin and read its mailbox.',
    'Remove FLOODGATE_DEMO=1 to serve real shoppers.',
  ].join('\n');
}

function lanAddresses(port: number): string[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => `http://${address}:${port}`);
}
