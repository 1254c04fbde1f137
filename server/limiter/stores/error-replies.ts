/** An error reply begins with a code of capitals. No error of a client and no system error has such a text. */
const REPLY_CODE = /^-?([A-Z]{2}[A-Z0-9_]*)(?: |$)/;

/**
 * Returns the code of an error reply of Redis, or `undefined` for any other error. By the text, because no client exports
 * the class of its error replies in every version, and a minifier renames classes and their `name`.
 */
export function replyCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || 'syscall' in error) return undefined;
  return REPLY_CODE.exec(error.message)?.[1] ?? (error.name === 'ReplyError' ? 'ERR' : undefined);
}
