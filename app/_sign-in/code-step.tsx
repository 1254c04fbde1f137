import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../_components/ui/button';
import { TextField } from '../_components/ui/field';
import { Notice } from '../_components/ui/notice';
import { useDurations } from '../_i18n/use-durations';
import { useViewer } from '../_shell/viewer-provider';
import { useTRPCClient } from '../_trpc/client';
import { CallNote, type CountedCall, useCountedCall } from './counted-call';
import styles from './sign-in.module.css';

interface Props {
  email: string;
  /** The number of codes that this page has sent to the address. */
  sent: number;
  sending: CountedCall<string>;
  /** The page after signing in. */
  next: string;
  onOtherEmail(): void;
}

/** The second step: enter the code. */
export function CodeStep({ email, sent, sending, next, onOtherEmail }: Props) {
  const t = useTranslations('signIn');
  const { wait } = useDurations();
  const router = useRouter();
  const client = useTRPCClient();
  const { demo, setUser } = useViewer();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [mistake, setMistake] = useState<'none' | 'badCode' | 'wrongCode'>('none');
  const verifying = useCountedCall({
    call: (code: string, options) => client.auth.verifyCode.mutate({ email, code }, options),
    level: 'auth.verifyCode:email+ip',
    onSuccess({ user }) {
      setUser(user);
      router.push(next);
    },
    onProblem({ kind }) {
      if (kind === 'rejected') setMistake('wrongCode');
      field.current?.select();
    },
  });
  const { busy, retryInSeconds } = verifying;

  useEffect(() => field.current?.focus(), []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (busy || retryInSeconds > 0) return;
    const code = parseCode(typed);
    setMistake(code === undefined ? 'badCode' : 'none');
    if (code === undefined) field.current?.select();
    else verifying.run(code);
  }

  return (
    <div className={styles.form}>
      <div role="status">
        {sent > 0 && (
          <Notice tone="good">
            {sent === 1 ? t('sent', { email: email.trim() }) : t('sentAgain', { email: email.trim() })}
          </Notice>
        )}
      </div>
      <form className={styles.form} onSubmit={submit} noValidate>
        <TextField
          ref={field}
          className={styles.code}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
          maxLength={32}
          required
          label={t('code', { email: email.trim() })}
          hint={t('codeHint')}
          error={mistake === 'none' ? '' : t(mistake)}
          value={typed}
          onChange={(event) => {
            setMistake('none');
            setTyped(event.target.value);
          }}
        />
        <CallNote call={verifying} failed={t('notChecked')} whose={t('tries')} />
        <Button type="submit" variant="primary" wide busy={busy} closed={retryInSeconds > 0}>
          {busy && t('checking')}
          {!busy && retryInSeconds > 0 && t('againIn', { time: wait(retryInSeconds) })}
          {!busy && retryInSeconds === 0 && t('title')}
        </Button>
      </form>
      {demo && (
        <a href="/dev/mailbox" target="_blank" rel="noreferrer">
          {t('mailbox')}
        </a>
      )}
      <div className={styles.again}>
        <CallNote call={sending} failed={t('notSent')} whose={t('codes')} />
        <Button
          busy={sending.busy}
          closed={sending.retryInSeconds > 0}
          onClick={() => {
            setMistake('none');
            setTyped('');
            sending.run(email);
          }}
        >
          {sending.busy && t('sending')}
          {!sending.busy &&
            sending.retryInSeconds > 0 &&
            t('resendIn', { time: wait(sending.retryInSeconds) })}
          {!sending.busy && sending.retryInSeconds === 0 && t('resend')}
        </Button>
        <Button variant="quiet" onClick={onOtherEmail}>
          {t('otherEmail')}
        </Button>
      </div>
    </div>
  );
}

/** Parses a typed or pasted code with spaces, hyphens or full-width digits. Returns `undefined` for anything else. */
export function parseCode(text: string): string | undefined {
  const digits = text.normalize('NFKC').replace(/[\s-]/g, '');
  return /^\d{6}$/.test(digits) ? digits : undefined;
}
