/** Does something now, or as soon as the page is looked at again. Gives back the way to forget it. */
export function whenSeen(act: () => void): () => void {
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
