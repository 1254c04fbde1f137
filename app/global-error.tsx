'use client';

/**
 * Replaces the layout if it fails to render: no messages and no style sheet, so both languages and inline styles. A
 * style sheet would be preloaded on every page.
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
