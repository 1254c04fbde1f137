/** Names a user in calls and answers, as `server/http/user-header.ts`. */
export const USER_HEADER = 'floodgate-user';

/** Formats a user for the header. */
export function nameOf(user: { id: string } | null): string {
  return user ? encodeURIComponent(user.id) : 'anonymous';
}

/** The user that this tab shows, for its calls. `ViewerProvider` sets it. */
export const shownUser = {
  name: nameOf(null),
  /** Called when an answer is for another user: another tab has signed in or out, or the session has ended. */
  onOther: (): void => undefined,
};
