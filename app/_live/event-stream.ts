/** What a stream brings, as text: parsing is the reader's. */
export interface StreamMessage {
  /** `state`: what there is to tell. `alive`: nothing has changed, and the server is there to say so. */
  kind: 'state' | 'alive';
  data: string;
  /** How long ago the server sent it; 0 where it has just come. */
  ageMs: number;
}

export interface StreamHandlers {
  onMessage(message: StreamMessage): void;
  /** The connection is gone. The browser opens it again by itself unless the server answered with an error. */
  onLost(): void;
}

/** Where a stream is, and by which name its states come. */
export interface StreamAddress {
  url: string;
  stateEvent: string;
}

/** A road to a stream of the server that can be opened and closed, again and again. */
export interface EventStream {
  open(): void;
  close(): void;
  /** Tries another connection: this one has been silent for too long. */
  reopen(): void;
}

/** A connection of this tab's own. */
export function createOwnStream(
  { url, stateEvent }: StreamAddress,
  { onMessage, onLost }: StreamHandlers,
): EventStream {
  const names = { state: stateEvent, alive: 'alive' } as const satisfies Record<
    StreamMessage['kind'],
    string
  >;
  let source: EventSource | undefined;

  function close(): void {
    source?.close();
    source = undefined;
  }

  function open(): void {
    close();
    source = new EventSource(url);
    for (const kind of ['state', 'alive'] as const) {
      source.addEventListener(names[kind], ({ data }: MessageEvent<unknown>) => {
        if (typeof data === 'string') onMessage({ kind, data, ageMs: 0 });
      });
    }
    source.addEventListener('error', onLost);
  }

  return { open, close, reopen: open };
}
