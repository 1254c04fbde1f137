/** `localStorage` keeps a text in this browser, `sessionStorage` until its tab is closed. */
type Storage = 'localStorage' | 'sessionStorage';

/** Reads a stored text; '' if there is none, or if the browser refuses its storage. */
export function readStored(key: string, storage: Storage = 'localStorage'): string {
  try {
    return window[storage].getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Stores a text; '' removes it. If the browser refuses its storage, the text is not kept. */
export function writeStored(key: string, text: string, storage: Storage = 'localStorage'): void {
  try {
    if (text === '') window[storage].removeItem(key);
    else window[storage].setItem(key, text);
  } catch {
    // The page works without it.
  }
}
