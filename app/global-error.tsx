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
        <h1>Something went wrong</h1>
        <p>
          It’s our fault, and it should pass soon. Your coupons are safe. <a href="/">Go to the sale</a>
        </p>
        <p lang="zh">
          出了点问题，是我们这边的，很快就好。您的券都还在。<a href="/">去抢购</a>
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
