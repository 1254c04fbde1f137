/** Colours for white and for GitHub's dark background, because an SVG cannot read the theme of its page. */
export const ink = '#6e7781';
export const grey = '#8c959f';
export const accent = '#2f81f7';
export const others = ['#2f81f7', '#bf8700', '#2da44e', '#cf222e', '#8250df'];

/**
 * @param {{ width: number, height: number, title: string }} size
 * @param {readonly string[]} parts
 */
export function svg({ width, height, title }, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
<title>${escapeXml(title)}</title>
${parts.filter(Boolean).join('\n')}
</svg>
`;
}

/**
 * @param {{ x: number, y: number, anchor?: 'start' | 'middle' | 'end', bold?: boolean }} options
 * @param {string} words
 */
export function text({ x, y, anchor = 'start', bold = false }, words) {
  const weight = bold ? ' font-weight="600"' : '';
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${ink}" text-anchor="${anchor}"${weight}>${escapeXml(words)}</text>`;
}

/** @param {string} words */
function escapeXml(words) {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
