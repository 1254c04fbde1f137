import type { MetadataRoute } from 'next';

/** Allows pages. Disallows calls, the demo's mailbox and personal pages. */
export default function robots(): MetadataRoute.Robots {
  return { rules: { userAgent: '*', allow: '/', disallow: ['/api/', '/dev/', '/wallet', '/sign-in'] } };
}
