import { PHASE_PRODUCTION_SERVER } from 'next/constants.js';

/**
 * `npm run build` checks the types before it starts Next; letting `next build` repeat that work doubles the build.
 * The root is named because Next otherwise guesses it from lock files in parent folders.
 *
 * @type {import('next').NextConfig}
 */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // The pictures are SVG and CSS; an optimiser that nobody uses is only a way in.
  images: { unoptimized: true },
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
  // The package does not say that its modules have no side effects.
  experimental: { optimizePackageImports: ['@trpc/client'] },
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
  const withNextIntl = createNextIntlPlugin({
    requestConfig: './app/_i18n/request.ts',
    // Messages are parsed here, so that no browser loads the parser: 8 kB of JavaScript less on each page.
    experimental: {
      messages: { path: './app/_i18n', format: 'json', locales: ['en', 'zh'], precompile: true },
    },
  });
  return withNextIntl(config);
}
