/**
 * An inline script: until the page is interactive, keeps and marks each `Button` that is clicked, unless React has handled
 * the click. On a phone a button is visible for most of a second before its code has loaded.
 */
export const keepEarlyClicks = `
earlyClicks = new Set();
addEventListener('click', ({ target, defaultPrevented }) => {
  const button = target.closest('[data-keep]');
  if (button && earlyClicks && !defaultPrevented) {
    earlyClicks.add(button);
    button.dataset.pressed = '';
  }
});`;
