import type { MetadataRoute } from 'next';

/** Allows robots on all paths except the API, the demo's mailbox, the wallet and sign-in. */
export default function robots(): MetadataRoute.Robots {
  return { rules: { userAgent: '*', allow: '/', disallow: ['/api/', '/dev/', '/wallet', '/sign-in'] } };
}
