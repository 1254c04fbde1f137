/** Reads a text that this browser keeps; '' if there is none, or if the browser refuses its storage. */
export function readStored(key: string): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Keeps a text in this browser. If the browser refuses its storage, the text is not kept. */
export function writeStored(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The page works without it.
  }
}
