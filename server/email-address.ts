import { z } from 'zod';

/**
 * The schema of an e-mail address. It trims and lower-cases, so that one owner is one subject. Use it wherever an address
 * is counted, stored or compared.
 */
export const emailAddress = z.string().max(1_000).trim().toLowerCase().pipe(z.email().max(254));

/** Removes the plus tag, because many providers deliver all tags to one mailbox: `ada+sale@example.com` → `ada@example.com`. */
export function removePlusTag(email: string): string {
  return email.replace(/^([^+@]+)\+[^@]*@/, '$1@');
}
