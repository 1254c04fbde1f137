import createNextIntlPlugin from 'next-intl/plugin';

const withNextIntl = createNextIntlPlugin('./app/_i18n/request.ts');

/**
 * This file is read at build time and again at each boot of the custom server, so it stays small.
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

export default withNextIntl(config);
