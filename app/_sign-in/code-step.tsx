import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import { TextField } from '../_components/ui/field';
import layout from '../_components/ui/layout.module.css';
import { Notice } from '../_components/ui/status';
import { useDurations } from '../_i18n/use-durations';
import { useServerClock } from '../_live/live-provider';
import { useCountdown } from '../_live/use-now';
import { useTRPCClient } from '../_trpc/client';
import { useViewer } from '../_viewer/viewer-provider';
import {
  CallMeter,
  type CountedCall,
  FieldError,
  MessageSlot,
  renderProblem,
  useCountedCall,
} from './counted-call';
import styles from './sign-in.module.css';
import { forgetDraft, type SignInForm } from './sign-in-draft';

interface Props {
  form: SignInForm;
  sending: CountedCall<string>;
  /** The page after signing in. */
  next: string;
}

/** The second step: enter the code. A wrong code moves nothing. */
export function CodeStep({ form: { draft, isRestored, changeDraft }, sending, next }: Props) {
  const { email, sent, closedUntil } = draft;
  const t = useTranslations('signIn');
  const { wait } = useDurations();
  const router = useRouter();
  const client = useTRPCClient();
  const clock = useServerClock();
  const { demo, setUser } = useViewer();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [mistake, setMistake] = useState<'none' | 'badCode' | 'wrongCode'>('none');
  /** The number of codes sent before the last try. */
  const [tried, setTried] = useState(0);
  const verifying = useCountedCall({
    call: (code: string, options) => client.auth.verifyCode.mutate({ email, code }, options),
    level: 'auth.verifyCode:email+ip',
    onSuccess({ user }) {
      forgetDraft();
      setUser(user);
      router.push(next);
    },
    onProblem(problem) {
      if (problem.kind === 'rejected') setMistake('wrongCode');
      if (problem.kind === 'refused' && problem.refusal.retryAfterMs !== null)
        changeDraft({ ...draft, closedUntil: clock.now() + problem.refusal.retryAfterMs });
      field.current?.select();
    },
  });
  const { busy, window } = verifying;
  const retryInSeconds = useCountdown({ clock, until: closedUntil });
  /** -1 if a reply did not state it. */
  const triesLeft = window ? window.limit - window.used : -1;
  // A new code is not accepted before the next try.
  const resendInSeconds = Math.max(sending.retryInSeconds, retryInSeconds);
  const sentKey = sending.problem ? 'lastSent' : sent === 1 ? 'sent' : 'sentAgain';
  const id = useId();

  // A restored step leaves the focus where it is, for example on the link to the other language.
  const [takesFocus] = useState(!isRestored);
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (busy || retryInSeconds > 0) return;
    const code = parseCode(typed);
    setTried(sent);
    setMistake(code === undefined ? 'badCode' : 'none');
    if (code === undefined) field.current?.select();
    else verifying.run(code);
  }

  return (
    <div className={layout.stack3}>
      <form className={layout.stack3} onSubmit={submit} noValidate>
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
          aria-invalid={mistake === 'none' ? undefined : true}
          aria-describedby={`${id} ${id}-hint`}
          value={typed}
          onChange={(event) => {
            setMistake('none');
            setTyped(event.target.value);
          }}
        />
        <p id={`${id}-hint`} className={layout.hint}>
          {t('codeHint')}
        </p>
        <Button type="submit" variant="primary" wide busy={busy} closed={retryInSeconds > 0}>
          {busy && t('checking')}
          {!busy && retryInSeconds > 0 && t('againIn', { time: wait(retryInSeconds) })}
          {!busy && retryInSeconds === 0 && t('title')}
        </Button>
        <MessageSlot
          id={id}
          // Which of several codes is valid matters until the end.
          isNoteOver={tried === sent && sent < 2}
          note={
            retryInSeconds > 0 ? (
              <Notice>{t('closed')}</Notice>
            ) : (
              sent > 0 && (
                // After a refusal, nothing is on its way.
                <Notice tone={sending.problem ? 'plain' : 'good'}>
                  {t(sentKey, { email: email.trim() })}
                </Notice>
              )
            )
          }
          error={
            mistake === 'none' ? (
              renderProblem({ call: verifying, failed: t('notChecked') })
            ) : (
              <FieldError>{t(mistake, { sent, left: triesLeft })}</FieldError>
            )
          }
        />
      </form>
      {demo && (
        <a href="/dev/mailbox" target="_blank" rel="noreferrer">
          {t('mailbox')}
        </a>
      )}
      <div className={classNames(layout.row2, styles.again)}>
        <Button
          busy={sending.busy}
          closed={resendInSeconds > 0}
          onClick={() => {
            setMistake('none');
            setTyped('');
            sending.run(email);
          }}
        >
          {sending.busy && t('sending')}
          {!sending.busy && resendInSeconds > 0 && t('resendIn', { time: wait(resendInSeconds) })}
          {!sending.busy && resendInSeconds === 0 && t('resend')}
        </Button>
        <Button variant="quiet" onClick={() => changeDraft({ ...draft, step: 'email' })}>
          {t('otherEmail')}
        </Button>
        <div role="status">{renderProblem({ call: sending, failed: t('notSent') })}</div>
      </div>
      {/* Last, so that a meter that appears moves nothing. The panel is too narrow for two side by side. */}
      <div className={classNames(layout.stack4, layout.hiddenIfEmpty)}>
        {/* A locked sign-in accepts no new code, although its window has room. */}
        <CallMeter
          call={sending}
          whose={t('codes')}
          status={retryInSeconds > 0 ? t('noNewCode') : undefined}
        />
        <CallMeter call={verifying} whose={t('tries')} />
      </div>
    </div>
  );
}

/** Parses a typed or pasted code with spaces, hyphens or full-width digits. Returns `undefined` for anything else. */
export function parseCode(text: string): string | undefined {
  const digits = text.normalize('NFKC').replace(/[\s-]/g, '');
  return /^\d{6}$/.test(digits) ? digits : undefined;
}
