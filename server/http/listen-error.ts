import { StartError } from '../errors';

/** Creates the error for a server that cannot listen, with the fix. */
export function createListenError(
  cause: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): StartError {
  switch (cause.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} of ${host} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1}`,
        { cause },
      );
    case 'EACCES':
      return new StartError(`This user may not listen on port ${port}. Choose another port: PORT=3000`, {
        cause,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`${host} is not an address of this machine. Example: HOST=127.0.0.1`, { cause });
    default:
      return new StartError(`Cannot listen on port ${port} of ${host}: ${cause.message}`, { cause });
  }
}
