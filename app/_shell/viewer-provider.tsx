'use client';

import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, use, useRef, useState } from 'react';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import { useQueryClient } from '../_trpc/query';
import type { User } from '../_trpc/types';

interface Viewer {
  user: User | null;
  /** Demo mode: every visitor can be every user. */
  demo: boolean;
  /**
   * The number of sign-outs and user switches. Use it in keys of personal data, so that the data goes with the user.
   */
  signOuts: number;
  /** Signs in as a demo user, or without an argument as a new shopper. Concurrent calls share one request. */
  signInDemo(identity?: { name: string; role: User['role'] }): Promise<void>;
  /** Sets the user after a sign-in by another call. */
  setUser(user: User): void;
  signOut(): Promise<void>;
}

const ViewerContext = createContext<Viewer | undefined>(undefined);

interface Props {
  /** The user at rendering. */
  user: User | null;
  demo: boolean;
  children: ReactNode;
}

/** Provides the current user. A change of the user refreshes everything personal. */
export function ViewerProvider({ user: renderedFor, demo, children }: Props) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const pendingSignIn = useRef<Promise<void>>(undefined);
  const [user, setUser] = useState(renderedFor);
  const [signOuts, setSignOuts] = useState(0);
  const [lastRendered, setLastRendered] = useState(renderedFor);

  if (lastRendered?.id !== renderedFor?.id) {
    setLastRendered(renderedFor);
    setUser(renderedFor);
  }

  function countSignOut(): void {
    setSignOuts((count) => count + 1);
  }

  function applyUser(next: User | null): void {
    setUser(next);
    router.refresh();
    void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
    // A visitor who has signed out has no orders to read.
    if (next) void queryClient.invalidateQueries(trpc.order.list.queryFilter());
  }

  const viewer: Viewer = {
    user,
    demo,
    signOuts,
    signInDemo(identity) {
      pendingSignIn.current ??= client.auth.signInDemo
        .mutate(identity ?? {})
        .then(({ user: signedIn }) => {
          if (identity) countSignOut();
          applyUser(signedIn);
        })
        .finally(() => {
          pendingSignIn.current = undefined;
        });
      return pendingSignIn.current;
    },
    setUser: applyUser,
    async signOut() {
      await client.auth.signOut.mutate();
      countSignOut();
      applyUser(null);
    },
  };

  return <ViewerContext value={viewer}>{children}</ViewerContext>;
}

export function useViewer(): Viewer {
  const viewer = use(ViewerContext);
  if (!viewer) throw new Error('The viewer needs the ViewerProvider of the layout.');
  return viewer;
}
