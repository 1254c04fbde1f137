/** Next.js calls it once, before the server handles requests. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { limiter } = await import('./limiter');
    // Names what Redis lacks. The server starts also without Redis: `onStoreError` of each policy decides.
    await limiter.ready().catch((error) => console.error(error.message));
  }
}
