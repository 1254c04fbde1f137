import { z } from 'zod';

/**
 * An e-mail address as the whole product writes it. Addresses differ in case and white space, their owners do not, so
 * whatever counts, stores or compares one reads it through this schema.
 */
export const emailAddress = z.string().max(1_000).trim().toLowerCase().pipe(z.email().max(254));

/** The mailbox of an address, which many providers deliver every plus tag to: `ada+sale@example.com` is `ada@example.com`. */
export function removePlusTag(email: string): string {
  return email.replace(/^([^+@]+)\+[^@]*@/, '$1@');
}
