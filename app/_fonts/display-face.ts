import localFont from 'next/font/local';

/**
 * The display face, as the CSS variable `--face`. `optional`: a page that has painted without it never changes its text.
 * The fallback is Arial with the widths and heights of the face.
 */
export const displayFace = localFont({
  src: './bricolage-grotesque-700.woff2',
  weight: '700',
  display: 'optional',
  variable: '--face',
  adjustFontFallback: 'Arial',
});
