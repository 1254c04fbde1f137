'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { problemOf } from '../_trpc/problem';
import type { User } from '../_trpc/types';
import { nameOf, shownUser } from '../_trpc/user';

interface Viewer {
  user: User | null;
  /** Demo mode: every visitor can be every user. */
  demo: boolean;
  /**
   * The number of sign-outs and user switches. Use it in keys of personal data, so that the data goes with the user.
   */
  signOuts: number;
  /** The path on which the user changed from outside of this tab: by another tab, or by the end of the session. */
  replacedOn: string | undefined;
  /**
   * Signs in as a demo user; without an argument as a new shopper, unless someone is signed in. Concurrent calls share one
   * request.
   */
  signInDemo(identity?: { name: string; role: User['role'] }): Promise<User>;
  /** Sets the user after a sign-in by another call. */
  setUser(user: User): void;
  signOut(): Promise<void>;
  /** Reads the user of this browser again, and reloads everything personal. */
  reloadUser(): Promise<void>;
}

const ViewerContext = createContext<Viewer | undefined>(undefined);

interface Props {
  /** The user at rendering. */
  user: User | null;
  demo: boolean;
  children: ReactNode;
}

/**
 * Provides the current user. A change of the user refreshes everything personal, in all tabs of the browser.
 */
export function ViewerProvider({ user: renderedFor, demo, children }: Props) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const pendingSignIn = useRef<Promise<User>>(undefined);
  const pendingReload = useRef<Promise<void>>(undefined);
  const [user, setUser] = useState(renderedFor);
  const [signOuts, setSignOuts] = useState(0);
  const [replacedOn, setReplacedOn] = useState<string>();
  const [lastRendered, setLastRendered] = useState(renderedFor);
  const shown = useRef(user);
  const tabs = useRef<BroadcastChannel>(undefined);

  if (lastRendered?.id !== renderedFor?.id) {
    setLastRendered(renderedFor);
    if (user && user.id !== renderedFor?.id) {
      setSignOuts((count) => count + 1);
      setReplacedOn(location.pathname);
    }
    setUser(renderedFor);
  }

  function show(next: User | null): void {
    shown.current = next;
    shownUser.name = nameOf(next);
  }

  /** `isOther`: the shown user had data in this tab. */
  function applyUser(next: User | null, { isOther = false, replaces = false } = {}): void {
    // At once: a click that has signed in calls before the next render.
    show(next);
    setUser(next);
    setReplacedOn(replaces ? location.pathname : undefined);
    if (isOther) {
      setSignOuts((count) => count + 1);
      void queryClient.resetQueries(trpc.queue.mine.queryFilter());
    }
    router.refresh();
    void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
    // A visitor who has signed out has no orders to read.
    if (next) void queryClient.invalidateQueries(trpc.order.list.queryFilter());
  }

  async function readUser(): Promise<void> {
    // The answer of a running sign-in sets the user itself.
    await pendingSignIn.current?.catch(() => undefined);
    try {
      const { user: current } = await client.auth.me.query();
      const isOther = shown.current !== null && shown.current.id !== current?.id;
      if (isOther || shown.current?.role !== current?.role) {
        applyUser(current, { isOther, replaces: isOther });
      } else router.refresh();
    } catch (error) {
      // The next answer is compared, too.
      if (problemOf(error).kind === 'broken') throw error;
    }
  }

  function reloadUser(): Promise<void> {
    pendingReload.current ??= readUser().finally(() => {
      pendingReload.current = undefined;
    });
    return pendingReload.current;
  }

  const latestReload = useRef(reloadUser);
  useLayoutEffect(() => {
    show(user);
    latestReload.current = reloadUser;
  });
  useEffect(() => {
    const channel = new BroadcastChannel(TABS);
    const reload = () => void latestReload.current();
    channel.addEventListener('message', reload);
    shownUser.onOther = reload;
    tabs.current = channel;
    return () => channel.close();
  }, []);

  /** Makes the other tabs read the user again. */
  function notifyTabs(): void {
    tabs.current?.postMessage('changed');
  }

  const viewer: Viewer = {
    user,
    demo,
    signOuts,
    replacedOn,
    signInDemo(identity) {
      pendingSignIn.current ??= takeTurn(async () => {
        // The caller saw no user, but another click or tab may have signed in meanwhile.
        if (!identity && shown.current) return shown.current;
        const { user: signedIn } = await client.auth.signInDemo.mutate(identity ?? {});
        applyUser(signedIn, { isOther: identity !== undefined });
        notifyTabs();
        return signedIn;
      }).finally(() => {
        pendingSignIn.current = undefined;
      });
      return pendingSignIn.current;
    },
    setUser(signedIn) {
      applyUser(signedIn, { isOther: user !== null });
      notifyTabs();
    },
    async signOut() {
      await client.auth.signOut.mutate();
      applyUser(null, { isOther: true });
      notifyTabs();
    },
    reloadUser,
  };

  return <ViewerContext value={viewer}>{children}</ViewerContext>;
}

/** The channel and the lock of all tabs of the browser. */
const TABS = 'floodgate:user';

/**
 * Signs in after the sign-ins of other tabs, so that this one has their cookie: two tabs that start as a new shopper at once
 * become the same one. Without the Web Locks API (insecure contexts, such as a LAN address) it does not wait.
 */
function takeTurn<Reply>(signIn: () => Promise<Reply>): Promise<Reply> {
  return 'locks' in navigator ? navigator.locks.request(TABS, signIn) : signIn();
}

export function useViewer(): Viewer {
  const viewer = use(ViewerContext);
  if (!viewer) throw new Error('The viewer needs the ViewerProvider of the layout.');
  return viewer;
}
