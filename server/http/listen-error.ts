import { StartError } from '../errors';

/** Explains why a server cannot listen, with what to do about it. */
export function createListenError(
  cause: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): StartError {
  switch (cause.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} of ${host} is in use. Stop what uses it, or choose another: PORT=${port + 1}`,
        { cause },
      );
    case 'EACCES':
      return new StartError(`Port ${port} is not allowed to this user. Choose another: PORT=3000`, {
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`${host} is no address of this machine. Example: HOST=127.0.0.1`, { cause });
    default:
      return new StartError(`Cannot listen on port ${port} of ${host}: ${cause.message}`, { cause });
  }
}
