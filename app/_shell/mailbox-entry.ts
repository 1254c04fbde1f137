/** A code that the demo would have sent by e-mail. */
export interface MailboxEntry {
  to: string;
  code: string;
  /** Epoch ms. */
  sentAt: number;
}

/** Fetches the codes of this demo, newest first. Throws for a missing or invalid response. */
export async function fetchMailbox({ signal }: { signal: AbortSignal }): Promise<MailboxEntry[]> {
  const response = await fetch('/dev/mailbox.json', { signal });
  const entries: unknown = response.ok ? await response.json() : undefined;
  if (Array.isArray(entries) && entries.every(isEntry)) return entries;
  throw new Error(`The mailbox cannot be read (${response.status}).`);
}

function isEntry(value: unknown): value is MailboxEntry {
  return (
    typeof value === 'object' &&
    value !== null &&
    'to' in value &&
    typeof value.to === 'string' &&
    'code' in value &&
    typeof value.code === 'string' &&
    'sentAt' in value &&
    typeof value.sentAt === 'number'
  );
}
