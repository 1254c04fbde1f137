/** Runs a function now, or as soon as the page is visible. Returns a function that cancels it. */
export function runWhenVisible(act: () => void): () => void {
  const abort = new AbortController();
  const runIfVisible = () => {
    if (document.visibilityState === 'hidden') return;
    abort.abort();
    act();
  };
  document.addEventListener('visibilitychange', runIfVisible, { signal: abort.signal });
  runIfVisible();
  return () => abort.abort();
}
