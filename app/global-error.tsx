'use client';

/**
 * What is left when even the layout could not be rendered: no messages, no style sheet, so both languages and a few
 * styles of its own. A style sheet of its own would be preloaded on every page, for nothing.
 */
export default function GlobalError() {
  return (
    <html lang="en">
      <body style={page}>
        <title>Floodgate</title>
        <h1>This page could not be loaded</h1>
        <p>
          Something went wrong on our side, probably only briefly. <a href="/">Go to the sale</a>
        </p>
        <p lang="zh">
          页面没能加载出来，多半很快就会恢复。<a href="/">去抢购</a>
        </p>
      </body>
    </html>
  );
}

const page = {
  colorScheme: 'light dark',
  maxWidth: '36rem',
  margin: '12vh auto',
  padding: '0 1rem',
  font: '400 1rem/1.6 system-ui, sans-serif',
} as const;
