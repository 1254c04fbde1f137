/** The logo: a gate over water. */
export function Logo() {
  return (
    <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--logo)" />
      <path
        d="M8 6v13M13.3 6v10M18.7 6v10M24 6v13"
        stroke="var(--logo-gate)"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <path
        d="M4 24c2.4 0 2.4-2 4.8-2s2.4 2 4.8 2 2.4-2 4.8-2 2.4 2 4.8 2 2.4-2 4.8-2"
        fill="none"
        stroke="var(--logo-water)"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
    </svg>
  );
}
