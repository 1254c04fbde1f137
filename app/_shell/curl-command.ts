/** A call of a procedure, as its client would make it. */
export interface Call {
  type: 'query' | 'mutation';
  path: string;
  input: Record<string, string>;
  /** Whether the caller must be signed in. */
  signedIn: boolean;
}

/** The same call for a shell. `-i` shows the header fields, which say how much of each window is left. */
export function curlCommand({ type, path, input, signedIn }: Call, origin: string): string {
  const json = JSON.stringify(input);
  const url = `${origin}/api/trpc/${path}`;
  const lines = [
    `curl -i ${quoted(type === 'query' ? `${url}?input=${encodeURIComponent(json)}` : url)}`,
    signedIn && `-H ${quoted(`cookie: ${sessionCookieAt(origin)}=YOUR-SESSION`)}`,
    type === 'mutation' && `-H ${quoted('content-type: application/json')}`,
    type === 'mutation' && `-d ${quoted(json)}`,
  ];
  return lines.filter(Boolean).join(' \\\n  ');
}

/** The name of the session cookie, as the server names it. */
export function sessionCookieAt(origin: string): string {
  return origin.startsWith('https:') ? '__Host-floodgate_session' : 'floodgate_session';
}

/** One word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
