import { existsSync } from 'node:fs';
import { PHASE_PRODUCTION_SERVER } from 'next/constants.js';

/**
 * `npm run build` checks the types before it starts Next. A second check in `next build` would double the build time. The
 * root is set because Next otherwise guesses it from lock files in parent folders.
 *
 * @type {import('next').NextConfig}
 */
const config = {
  poweredByHeader: false,
  // The server compresses pages by Brotli, see server/http/next-pages.ts.
  compress: false,
  // Preloads are in the HTML, which is compressed. A Link header is not.
  reactMaxHeadersLength: 0,
  reactStrictMode: true,
  // All images are SVG and CSS. An unused optimiser is only an attack surface.
  images: { unoptimized: true },
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
  experimental: {
    // The package does not declare that its modules have no side effects.
    optimizePackageImports: ['@trpc/client'],
    // Writing the cache takes a seventh of a build and 60 MB. It serves those who build again, who have the tools.
    turbopackFileSystemCacheForBuild: existsSync('node_modules/vitest'),
    // Few, large chunks: they compress better and need fewer requests, and most visitors open a single page.
    turbopackChunking: { minChunkSize: 1_000_000, maxMergeChunkSize: 1_000_000 },
  },
};

/**
 * Returns the configuration, at build time and at each start. The next-intl plugin only configures the bundler, but loads a
 * compiler, so a built server skips it.
 *
 * @param {string} phase
 * @returns {Promise<import('next').NextConfig>}
 */
export default async function configure(phase) {
  if (phase === PHASE_PRODUCTION_SERVER) return config;
  const { default: createNextIntlPlugin } = await import('next-intl/plugin');
  const withNextIntl = createNextIntlPlugin({
    requestConfig: './app/_i18n/request.ts',
    // Parses messages at build time, which saves each page 8 kB of JavaScript for the parser.
    experimental: {
      messages: { path: './app/_i18n', format: 'json', locales: ['en', 'zh'], precompile: true },
    },
  });
  return withNextIntl(config);
}
