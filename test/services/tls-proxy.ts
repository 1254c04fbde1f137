import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';

/** A certificate of 127.0.0.1 that signs itself, valid for 100 years. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUUh6dvlNizwddeH2DbK82Lqe0p6owCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODE3NTc1OVoYDzIxMjYxMTA0
MTc1NzU5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASj05pMXjkQALABT1DphvqQoieIGNilimIObIY3ME+QUN8Gxa3k34ub
J1G/GZEecpHKjSQPH5AVrqm91zj2yTPOo28wbTAdBgNVHQ4EFgQU+05QEUBdBRP/
qBEzR60G0jdsTEAwHwYDVR0jBBgwFoAU+05QEUBdBRP/qBEzR60G0jdsTEAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSQAwRgIhAPSVkeIU3qPiuSx25HGPpbuptocmtGjCuFVhU3+CAbSeAiEA
hRPH9gjYme5Xwk/Zrd5FXRB61HxmMcvgr/yED9qzN5Q=
-----END CERTIFICATE-----`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghTbZ7ASONdyCDv+K
q9rWUAg3OgS75VoWZE7LTCInOaKhRANCAASj05pMXjkQALABT1DphvqQoieIGNil
imIObIY3ME+QUN8Gxa3k34ubJ1G/GZEecpHKjSQPH5AVrqm91zj2yTPO
-----END PRIVATE KEY-----`;

/** Starts a server that takes connections by TLS in front of the Redis at a port. */
export async function startTlsProxy(redisPort: number): Promise<{ url: string; stop(): void }> {
  const server = createServer({ cert: testCertificate, key: KEY }, (socket) => {
    const upstream = connect(redisPort, '127.0.0.1');
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  server.on('tlsClientError', () => undefined);
  const port = await listenOnFreePort(server);
  return { url: `rediss://127.0.0.1:${port}`, stop: () => void server.close() };
}
