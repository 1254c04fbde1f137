/** A call of a procedure. */
export interface Call {
  type: 'query' | 'mutation';
  path: string;
  input: Record<string, string>;
  /** The caller must be signed in. */
  signedIn: boolean;
}

/** Returns the call as a shell command. `-i` shows the header fields with the state of each window. */
export function curlCommand({ type, path, input, signedIn }: Call, origin: string): string {
  const json = JSON.stringify(input);
  const url = `${origin}/api/trpc/${path}`;
  const lines = [
    `curl -i ${quoteForShell(type === 'query' ? `${url}?input=${encodeURIComponent(json)}` : url)}`,
    signedIn && `-H ${quoteForShell(`cookie: ${getSessionCookieName(origin)}=YOUR-SESSION`)}`,
    type === 'mutation' && `-H ${quoteForShell('content-type: application/json')}`,
    type === 'mutation' && `-d ${quoteForShell(json)}`,
  ];
  return lines.filter(Boolean).join(' \\\n  ');
}

/** Returns the name of the session cookie: with the `__Host-` prefix over HTTPS. A test compares it with the server's. */
export function getSessionCookieName(origin: string): string {
  return origin.startsWith('https:') ? '__Host-floodgate_session' : 'floodgate_session';
}

/** Quotes a word for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
