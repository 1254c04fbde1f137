import { defineConfig } from 'drizzle-kit';

/** For `npx drizzle-kit generate` after a change of the schema; the SQL it writes is committed with the change. */
export default defineConfig({
  dialect: 'postgresql',
  schema: ['./server/db/schema.ts', './server/db/limit-schema.ts'],
  out: './server/db/migrations',
});
