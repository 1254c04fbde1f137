/** `system` leaves the choice to the browser. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const themeCookie = 'theme';

/** `--surface` of globals.css, which the browser's own bar above the header continues. */
const surfaces = { light: '#ffffff', dark: '#121d23' } as const;

/** The colour for the browser's own bar. */
export function surfaceOf(theme: Theme): { color: string; media: string }[] {
  return (['light', 'dark'] as const).map((scheme) => ({
    color: surfaces[theme === 'system' ? scheme : theme],
    media: `(prefers-color-scheme: ${scheme})`,
  }));
}

/** The theme that a cookie names; whatever names none means `system`. */
export function themeOf(cookie: string | undefined): Theme {
  return themes.find((theme) => theme === cookie) ?? 'system';
}
