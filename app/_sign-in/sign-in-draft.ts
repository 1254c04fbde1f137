import { useMemo, useState, useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../_live/browser-storage';
import { hasFields, parseJson } from '../_live/parse-json';

/** The state of the sign-in by a code, without the code. */
export interface SignInDraft {
  email: string;
  step: 'email' | 'code';
  /** The number of codes sent to the address. */
  sent: number;
  /** Epoch ms until which no code is checked, after too many wrong ones. */
  closedUntil?: number;
}

const STORAGE_KEY = 'floodgate.sign-in';
const initial: SignInDraft = { email: '', step: 'email', sent: 0 };

const never = () => () => undefined;
const readDraft = () => readStored(STORAGE_KEY, 'sessionStorage');

export interface SignInForm {
  draft: SignInDraft;
  /** True until the visitor changes the draft on this page. */
  isRestored: boolean;
  changeDraft(next: SignInDraft): void;
}

/** Returns the draft, which a reload and another language keep, and a function that changes it. */
export function useSignInDraft(): SignInForm {
  const stored = useSyncExternalStore(never, readDraft, () => '');
  const restored = useMemo(() => parseDraft(stored), [stored]);
  const [changed, setChanged] = useState<SignInDraft>();
  return {
    draft: changed ?? restored,
    isRestored: changed === undefined,
    changeDraft(next: SignInDraft) {
      setChanged(next);
      writeStored(STORAGE_KEY, JSON.stringify(next), 'sessionStorage');
    },
  };
}

/** Removes the stored draft, after signing in. */
export function forgetDraft(): void {
  writeStored(STORAGE_KEY, '', 'sessionStorage');
}

/** Parses a stored draft. Returns the initial one for an invalid or missing text. */
export function parseDraft(text: string): SignInDraft {
  const value = parseJson(text);
  return isDraft(value) ? value : initial;
}

function isDraft(value: unknown): value is SignInDraft {
  return (
    hasFields(value, { texts: ['email'], numbers: ['sent'] }) &&
    (value.step === 'email' || value.step === 'code') &&
    (value.closedUntil === undefined || typeof value.closedUntil === 'number')
  );
}
