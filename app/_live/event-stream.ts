/** What a stream brings, as text: parsing is the reader's. */
export interface StreamMessage {
  kind: 'windows' | 'alive';
  data: string;
  /** How long ago the server sent it; 0 where it has just come. */
  ageMs: number;
}

export interface StreamHandlers {
  onMessage(message: StreamMessage): void;
  /** The connection is gone. The browser opens it again by itself unless the server answered with an error. */
  onLost(): void;
}

/** A road to /api/live that can be opened and closed, again and again. */
export interface EventStream {
  open(): void;
  close(): void;
  /** Tries another connection: this one has been silent for too long. */
  reopen(): void;
}

const kinds = ['windows', 'alive'] as const;

/** A connection of this tab's own. */
export function createOwnStream({ onMessage, onLost }: StreamHandlers): EventStream {
  let source: EventSource | undefined;

  function close(): void {
    source?.close();
    source = undefined;
  }

  function open(): void {
    close();
    source = new EventSource('/api/live');
    for (const kind of kinds) {
      source.addEventListener(kind, ({ data }: MessageEvent<unknown>) => {
        if (typeof data === 'string') onMessage({ kind, data, ageMs: 0 });
      });
    }
    source.addEventListener('error', onLost);
  }

  return { open, close, reopen: open };
}
