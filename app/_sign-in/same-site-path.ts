/** A placeholder origin that nothing else has. */
const here = 'https://here.invalid';

/** Returns the path to open after signing in. A path that leaves this site becomes `/`. */
export function sameSitePath(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, here)) return '/';
  const { origin, pathname, search, hash } = new URL(next, here);
  const path = `${pathname}${search}${hash}`;
  // `/.//elsewhere` keeps the origin and yet normalises to a path that a browser reads as another host.
  return origin === here && !path.startsWith('//') ? path : '/';
}
