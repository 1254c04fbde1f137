/** Any origin serves, as long as nothing else has it. */
const here = 'https://here.invalid';

/** The path to go on to after signing in; whatever would leave this site becomes the sale page. */
export function sameSitePath(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, here)) return '/';
  const { origin, pathname, search, hash } = new URL(next, here);
  const path = `${pathname}${search}${hash}`;
  // `/.//elsewhere` keeps the origin and yet normalises to a path that a browser reads as another host.
  return origin === here && !path.startsWith('//') ? path : '/';
}
