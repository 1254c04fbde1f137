/** The themes. `system` follows the browser. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const themeCookie = 'theme';

/** `--surface` of globals.css, because a `theme-color` element cannot read CSS variables. */
const surfaces = { light: '#fffdf9', dark: '#172031' } as const;

/** `--paper` in light and `--logo` of globals.css, for the same reason: the colours of the installed app. */
export const appColors = { background: '#f7f3ec', theme: '#2a3fd0' } as const;

/** Returns the colours of the browser's own bar. */
export function themeColors(theme: Theme): { color: string; media: string }[] {
  return (['light', 'dark'] as const).map((scheme) => ({
    color: surfaces[theme === 'system' ? scheme : theme],
    media: `(prefers-color-scheme: ${scheme})`,
  }));
}

/** Returns the theme of a cookie; `system` for anything else. */
export function parseTheme(cookie: string | undefined): Theme {
  return themes.find((theme) => theme === cookie) ?? 'system';
}
