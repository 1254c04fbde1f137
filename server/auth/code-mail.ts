import type { Language, Localized } from '../trpc/context';
import { CODE_LIFETIME_MS } from './sign-in-codes';

/** Sends codes by SMTP, or to the mailbox of a demo. */
export interface Mailer {
  /**
   * Sends a mail and resolves when it is accepted. Throws an `AppError` SERVICE_UNAVAILABLE or a `StoreUnavailableError` if
   * it fails; both answer 503.
   */
  send(mail: CodeMail): Promise<void>;
}

/** A code and its recipient. */
export interface CodeMail {
  to: string;
  code: string;
  language: Language;
}

/** A mail without its envelope. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

const minutes = CODE_LIFETIME_MS / 60_000;

const words: Record<
  Language,
  { subject(code: string): string; lead: string; rules: string; ignore: string }
> = {
  en: {
    subject: (code) => `${code} is your Floodgate code`,
    lead: 'Your code for signing in to Floodgate:',
    rules: `It works once, within ${minutes} minutes, in the browser that requested it.`,
    ignore: 'If you didn’t request this code, ignore this e-mail and don’t share the code.',
  },
  zh: {
    subject: (code) => `${code} 是您的 Floodgate 验证码`,
    lead: '您的 Floodgate 登录验证码：',
    rules: `${minutes} 分钟内有效，仅限使用一次，且只能在获取验证码的浏览器中使用。`,
    ignore: '如果不是您本人操作，请忽略此邮件，也不要把验证码告诉任何人。',
  },
};

const tags: Localized = { en: 'en', zh: 'zh-Hans' };

/** Composes the mail with a code. The subject repeats the code, so that a phone's notification shows it. */
export function composeCodeMail({ code, language }: Pick<CodeMail, 'code' | 'language'>): MailContent {
  const { subject, lead, rules, ignore } = words[language];
  return {
    subject: subject(code),
    text: [lead, code, rules, ignore, ''].join('\n\n'),
    // No escaping: the texts are ours, and the code is six digits.
    html: `<!doctype html>
<html lang="${tags[language]}">
<body style="margin:0;padding:24px;background:#ffffff;color:#1a1a1a;font:16px/1.5 system-ui,sans-serif">
<p style="margin:0 0 8px">${lead}</p>
<p style="margin:0 0 16px;font:700 32px/1.2 ui-monospace,monospace;letter-spacing:4px">${code}</p>
<p style="margin:0 0 8px">${rules}</p>
<p style="margin:0;color:#595959">${ignore}</p>
</body>
</html>
`,
  };
}
