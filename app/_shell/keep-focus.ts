/** The controls that can take the focus. A text field would open a phone's keyboard. */
const CONTROLS = 'a[href], button, summary';
/** Parts of a page with a heading of their own. */
const GROUPS = 'li, article, section, dialog, main';
const HEADINGS = 'h1, h2, h3';
/** Takes the focus before all others in its part of the page, such as the result of an action. */
const NEXT = '[data-focus-next]';

/** The element that had the focus, and its position when it received it. */
interface Focused {
  element: Element;
  /** From the nearest ancestor to the farthest. */
  ancestors: Element[];
  /** The list or table that contains it, and the index of its row. */
  row: { rows: Element; index: number } | undefined;
  /** The browser showed the focus: a keyboard is in use. */
  isShown: boolean;
}

/**
 * Keeps the focus on the page when the focused control is removed. It moves to the first of these in the nearest part
 * of the page that remains: an element with `data-focus-next`, the row that follows a removed one, on a new
 * page the target of the address, the heading, another control. Also closes expanded parts with Escape. Call it with the path of
 * each `focusin` and `keydown`.
 */
export const keepFocusOf = createFocusKeeper();

function createFocusKeeper(): (path: EventTarget[]) => void {
  let focused: Focused | undefined;

  function moveIfRemoved(): void {
    if (!focused || focused.element.isConnected) return;
    const lost = focused;
    focused = undefined;
    // After React's effects, which may move the focus on purpose.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) moveFocusFrom(lost);
    });
  }

  document.addEventListener('keydown', closeExpanded, { capture: true });
  new MutationObserver(moveIfRemoved).observe(document.body, { childList: true, subtree: true });
  return function keepFocusOf(path) {
    focused = recordFocus(path);
    moveIfRemoved();
  };
}

function recordFocus(path: EventTarget[]): Focused | undefined {
  const elements = path.filter((target) => target instanceof Element);
  const [element, ...ancestors] = elements;
  if (!(element instanceof HTMLElement) || element === document.body) return undefined;
  const row = element.closest('tr, li');
  const rows = row && elements[elements.indexOf(row) + 1];
  return {
    element,
    ancestors,
    row: row && rows ? { rows, index: Math.max(0, [...rows.children].indexOf(row)) } : undefined,
    // A control that is already removed was probably pressed by a keyboard.
    isShown: !element.isConnected || element.matches(':focus-visible'),
  };
}

function moveFocusFrom({ ancestors, row, isShown }: Focused): void {
  let isRowGone = false;
  for (const part of ancestors) {
    if (!part.isConnected) continue;
    const isMain = part.matches('main');
    const next =
      (isMain ? undefined : firstIn(part, NEXT)) ??
      (part === row?.rows ? findInRow(row) : undefined) ??
      (isMain ? findTarget() : undefined) ??
      (part.matches(GROUPS) ? firstIn(part, isMain ? 'h1' : HEADINGS) : undefined) ??
      // The other controls of a table sort it.
      (isRowGone || part === row?.rows ? undefined : firstIn(part, CONTROLS));
    if (next || isMain) {
      focusOn(next ?? part, isShown);
      return;
    }
    isRowGone ||= part === row?.rows;
  }
}

/** Returns the element that the address points to, such as a coupon. */
function findTarget(): HTMLElement | null {
  return document.getElementById(decodeURIComponent(location.hash.slice(1)));
}

/** Returns the first control of the row at an index, or of the last row. */
function findInRow({ rows, index }: NonNullable<Focused['row']>): HTMLElement | undefined {
  const row = rows.children[Math.min(index, rows.children.length - 1)];
  return row && firstIn(row, CONTROLS);
}

function firstIn(part: Element, selector: string): HTMLElement | undefined {
  const found = [...part.querySelectorAll<HTMLElement>(selector)];
  return found.find((element) => element.checkVisibility() && element.hasChildNodes());
}

/** Focuses an element, also one that is no control. It scrolls into view only for a keyboard. */
function focusOn(element: Element, isShown: boolean): void {
  if (!(element instanceof HTMLElement)) return;
  if (!element.matches(`${CONTROLS}, [tabindex]`)) {
    element.tabIndex = -1;
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
  }
  element.focus({ preventScroll: !isShown });
}

/** Closes the expanded part around the focus with Escape, and focuses its summary. Menus and dialogs close by themselves. */
function closeExpanded(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector(':popover-open')) return;
  const details = document.activeElement?.closest('details[open]');
  if (!details) return;
  event.preventDefault();
  details.removeAttribute('open');
  details.querySelector('summary')?.focus();
}
