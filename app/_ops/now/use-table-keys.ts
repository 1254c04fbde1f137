import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';

interface TableKeys {
  /** The typed text; '' shows all rows. */
  filter: string;
  changeFilter(next: string): void;
  onKeyDown(event: KeyboardEvent): void;
}

/**
 * Moves the focus with the arrow keys between the buttons in the elements of `frame` with the same `data-move`, and collects typed characters as a filter. Backspace removes the last one, Escape all. If the focused row leaves, the first
 * button gets the focus.
 */
export function useTableKeys(frame: RefObject<HTMLElement | null>): TableKeys {
  const [filter, setFilter] = useState('');
  const hadFocus = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed filter may remove the focused row
  useEffect(() => {
    const { current } = frame;
    if (hadFocus.current && current && !current.contains(document.activeElement)) {
      focusButton(current.querySelector('[data-move]'));
    }
    hadFocus.current = false;
  }, [filter]);

  function changeFilter(next: string): void {
    hadFocus.current = true;
    setFilter(next);
  }

  return {
    filter,
    changeFilter,
    onKeyDown(event) {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      const from = target instanceof Element ? target.closest<HTMLElement>('[data-move]') : null;
      if (!from || ctrlKey || metaKey || altKey) return;
      const next = nextFilter(filter, key);
      if (next !== undefined) changeFilter(next);
      else if (!moveFocus(frame.current, { key, from })) return;
      event.preventDefault();
    },
  };
}

/** Returns the filter after a key; `undefined` if the key does not change it. */
export function nextFilter(filter: string, key: string): string | undefined {
  if (filter && key === 'Escape') return '';
  if (filter && key === 'Backspace') return filter.slice(0, -1);
  // Enter and space press the focused button.
  return [...key].length === 1 && key !== ' ' ? filter + key.toLowerCase() : undefined;
}

/** Moves the focus to another row. Returns false for keys that do not move it. */
function moveFocus(frame: HTMLElement | null, { key, from }: { key: string; from: HTMLElement }): boolean {
  const same = [...(frame?.querySelectorAll<HTMLElement>(`[data-move="${from.dataset.move}"]`) ?? [])];
  const at = same.indexOf(from);
  const last = same.length - 1;
  const targets: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last };
  const to = targets[key];
  if (to === undefined) return false;
  focusButton(same[Math.max(0, Math.min(last, to))]);
  return true;
}

function focusButton(element: Element | null | undefined): void {
  const button = element?.matches('button') ? element : element?.querySelector('button');
  if (button instanceof HTMLElement) button.focus();
}
