import { describeSecret, LimiterOptionError, type OptionNames, rejectUnknownOptions } from '../options';
import type { JoinOptions, ServeOptions } from './queue';

const MAX_GROUP_CHARACTERS = 100;
const MAX_PAYLOAD_CHARACTERS = 1_000;

export const SERVE_OPTIONS: OptionNames<ServeOptions> = {
  onTurn: true,
  pausedGroups: true,
  onError: true,
  onServed: true,
  timers: true,
};

const JOIN_OPTIONS: OptionNames<JoinOptions> = {
  subjects: true,
  plans: true,
  cost: true,
  timeoutMs: true,
  requestId: true,
  group: true,
  payload: true,
  hasCharged: true,
  context: true,
};

/** Throws a `LimiterOptionError` for an unknown option, and for a group or payload that a ticket cannot hold. */
export function validateJoin(options: JoinOptions): void {
  rejectUnknownOptions('join', options, JOIN_OPTIONS);
  const { group, payload } = options;
  if (group === '' || group.length > MAX_GROUP_CHARACTERS || group.includes('\n')) {
    const fix = `Use 1 to ${MAX_GROUP_CHARACTERS} characters and no line break.`;
    throw new LimiterOptionError('group', group, fix, 'join');
  }
  if (payload.length > MAX_PAYLOAD_CHARACTERS) {
    const fix = `Use at most ${MAX_PAYLOAD_CHARACTERS} characters.`;
    throw new LimiterOptionError('payload', describeSecret(payload), fix, 'join');
  }
}

/** Returns a text that the store keeps in one line. */
export function toLine(text: string): string {
  if (text.includes('\n'))
    throw new LimiterOptionError('outcome or reason', text, 'Use a text without a line break.', 'queue');
  return text;
}
