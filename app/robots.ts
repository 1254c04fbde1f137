import type { MetadataRoute } from 'next';

/** Pages may be found; calls, the demo's mailbox and what is personal may not. */
export default function robots(): MetadataRoute.Robots {
  return { rules: { userAgent: '*', allow: '/', disallow: ['/api/', '/dev/', '/wallet', '/sign-in'] } };
}
