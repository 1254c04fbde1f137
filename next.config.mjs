import { PHASE_PRODUCTION_SERVER } from 'next/constants.js';

/**
 * Types are checked once, by `npm run check`; letting `next build` repeat that work doubles the build.
 * The root is named because Next otherwise guesses it from lock files in parent folders.
 *
 * @type {import('next').NextConfig}
 */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
};

/**
 * Next reads this file at build time and again at each boot. The plugin only tells the bundler where the request
 * configuration is, and it loads a compiler to do so: a server that is already built goes without.
 *
 * @param {string} phase
 * @returns {Promise<import('next').NextConfig>}
 */
export default async function configure(phase) {
  if (phase === PHASE_PRODUCTION_SERVER) return config;
  const { default: createNextIntlPlugin } = await import('next-intl/plugin');
  return createNextIntlPlugin('./app/_i18n/request.ts')(config);
}
