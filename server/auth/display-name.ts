/** The same maximum as for names in a demo. */
const MAX_LENGTH = 40;

/** Derives a display name from an e-mail: `ada.love-lace+sale@example.com` → `Ada Love Lace`. */
export function displayName(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@'));
  const [untagged = ''] = local.split('+');
  const words = untagged.split(/[._-]+/).filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
  return (name || local).slice(0, MAX_LENGTH).trim();
}
