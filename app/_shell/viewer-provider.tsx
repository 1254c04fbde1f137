'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, use, useRef, useState } from 'react';
import { useTRPC, useTRPCClient } from '../_trpc/client';
import type { User } from '../_trpc/types';

interface Viewer {
  user: User | null;
  /** Demo mode: anyone may become anyone. */
  demo: boolean;
  /** Rises when somebody leaves on purpose: key what is theirs by it, and it goes with them. */
  departures: number;
  /**
   * Becomes that demo identity; without one, becomes a new shopper in the middle of what one is doing.
   * Calls that come while one is under way share it.
   */
  signInDemo(identity?: { name: string; role: User['role'] }): Promise<void>;
  /** Somebody has been signed in by a call of the page's own. */
  enter(user: User): void;
  signOut(): Promise<void>;
}

const ViewerContext = createContext<Viewer | undefined>(undefined);

interface Props {
  /** As the server rendered the page. */
  user: User | null;
  demo: boolean;
  children: ReactNode;
}

/** Who looks at the page. A change of person renews everything that is theirs. */
export function ViewerProvider({ user: renderedFor, demo, children }: Props) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const underWay = useRef<Promise<void>>(undefined);
  const [user, setUser] = useState(renderedFor);
  const [departures, setDepartures] = useState(0);
  const [lastRendered, setLastRendered] = useState(renderedFor);

  if (lastRendered?.id !== renderedFor?.id) {
    setLastRendered(renderedFor);
    setUser(renderedFor);
  }

  function leave(): void {
    setDepartures((count) => count + 1);
  }

  function become(next: User | null): void {
    setUser(next);
    router.refresh();
    void queryClient.invalidateQueries(trpc.limit.mine.queryFilter());
  }

  const viewer: Viewer = {
    user,
    demo,
    departures,
    signInDemo(identity) {
      underWay.current ??= client.auth.signInDemo
        .mutate(identity ?? {})
        .then(({ user: signedIn }) => {
          if (identity) leave();
          become(signedIn);
        })
        .finally(() => {
          underWay.current = undefined;
        });
      return underWay.current;
    },
    enter: become,
    async signOut() {
      await client.auth.signOut.mutate();
      leave();
      become(null);
    },
  };

  return <ViewerContext value={viewer}>{children}</ViewerContext>;
}

export function useViewer(): Viewer {
  const viewer = use(ViewerContext);
  if (!viewer) throw new Error('The viewer is known below the ViewerProvider of the layout only.');
  return viewer;
}
