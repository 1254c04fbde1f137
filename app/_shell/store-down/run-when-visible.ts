/** Runs a function now, or as soon as the page is visible. Returns a function that cancels it. */
export function runWhenVisible(act: () => void): () => void {
  const abort = new AbortController();
  const look = () => {
    if (document.visibilityState === 'hidden') return;
    abort.abort();
    act();
  };
  document.addEventListener('visibilitychange', look, { signal: abort.signal });
  look();
  return () => abort.abort();
}
