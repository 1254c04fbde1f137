/** Who is signed in: what the session cookie carries, and what `auth.me` answers. */
export interface User {
  id: string;
  name: string;
  email?: string | undefined;
  role: 'shopper' | 'admin';
}
