/** Names that a shopper gives in a demo are no longer either. */
const MAX_LENGTH = 40;

/** A first name for who signs in by e-mail: `ada.love-lace+sale@example.com` → `Ada Love Lace`. */
export function displayName(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@'));
  const [untagged = ''] = local.split('+');
  const words = untagged.split(/[._-]+/).filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
  return (name || local).slice(0, MAX_LENGTH).trim();
}
