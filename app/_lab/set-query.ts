/** Sets a parameter of the page's URL without a navigation, and keeps the others. */
export function setQuery(name: string, value: string): void {
  const url = new URL(window.location.href);
  url.searchParams.set(name, value);
  window.history.replaceState(null, '', url);
}
