import type { Language } from '../trpc/language';

/** A code on its way to whoever owns the address. */
export interface CodeMail {
  to: string;
  code: string;
  language: Language;
}

/** Brings codes to their owners: by SMTP, or into the mailbox of a demo. */
export interface Mailer {
  /** Resolves when the mail has been handed over. Throws `AppError` SERVICE_UNAVAILABLE where it could not be. */
  send(mail: CodeMail): Promise<void>;
}
