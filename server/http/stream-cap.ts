import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddress } from './client-address';

/** Limits the number of open streams per address on this node. */
export interface StreamCap {
  /** Takes a slot until the answer closes. Returns false if the address has no free slot. */
  admit(req: IncomingMessage, res: ServerResponse): boolean;
}

/** Counts open streams per client address in the memory of this node. At most `maxPerAddress` are open at once. */
export function createStreamCap({
  clientAddress,
  maxPerAddress,
}: {
  clientAddress: ClientAddress;
  maxPerAddress: number;
}): StreamCap {
  const open = new Map<string, number>();

  function release(address: string): void {
    const count = (open.get(address) ?? 0) - 1;
    if (count > 0) open.set(address, count);
    else open.delete(address);
  }

  return {
    admit(req, res) {
      const address = clientAddress(req);
      const count = open.get(address) ?? 0;
      if (count >= maxPerAddress) return false;
      open.set(address, count + 1);
      res.once('close', () => release(address));
      return true;
    },
  };
}
