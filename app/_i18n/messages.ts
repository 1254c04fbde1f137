import type { Language } from '../_trpc/types';
import en from './en.json';
import zh from './zh.json';

/** The shape of English is the shape of every language; a test compares names and placeholders. */
export type Messages = typeof en;

export const messages: Record<Language, Messages> = { en, zh };
