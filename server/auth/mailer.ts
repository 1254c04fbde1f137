import type { Language } from '../trpc/context';

/** A code and its recipient. */
export interface CodeMail {
  to: string;
  code: string;
  language: Language;
}

/** Sends codes by SMTP, or to the mailbox of a demo. */
export interface Mailer {
  /** Sends a mail and resolves when the server accepts it. Throws `AppError` SERVICE_UNAVAILABLE if it fails. */
  send(mail: CodeMail): Promise<void>;
}
