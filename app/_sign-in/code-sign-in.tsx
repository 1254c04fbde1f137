'use client';

import { useTranslations } from 'next-intl';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../_components/ui/button';
import { classNames } from '../_components/ui/class-names';
import { TextField } from '../_components/ui/field';
import layout from '../_components/ui/layout.module.css';
import { useDurations } from '../_i18n/use-durations';
import { useTRPCClient } from '../_trpc/client';
import { useViewer } from '../_viewer/viewer-provider';
import { CodeStep } from './code-step';
import { type CountedCall, FieldError, MessageSlot, renderProblem, useCountedCall } from './counted-call';
import styles from './sign-in.module.css';
import { type SignInForm, useSignInDraft } from './sign-in-draft';

/** Signs in by an e-mailed code: first the address, then the code. */
export function CodeSignIn({ next }: { next: string }) {
  const client = useTRPCClient();
  const form = useSignInDraft();
  const { draft, changeDraft } = form;
  const sending = useCountedCall({
    call: (to: string, options) => client.auth.sendCode.mutate({ email: to }, options),
    level: 'auth.sendCode:email',
    onSuccess: (_, to) => changeDraft({ email: to, step: 'code', sent: draft.sent + 1 }),
  });
  return draft.step === 'code' ? (
    <CodeStep form={form} sending={sending} next={next} />
  ) : (
    <EmailStep form={form} sending={sending} />
  );
}

interface Props {
  form: SignInForm;
  sending: CountedCall<string>;
}

/** A rough check of an address. The server validates it. */
const address = /^\s*\S+@\S+\.\S+\s*$/;

/** The first step: enter the address. */
function EmailStep({ form: { draft, isRestored, changeDraft }, sending }: Props) {
  const { email } = draft;
  const isBack = draft.sent > 0 && !isRestored;
  const t = useTranslations('signIn');
  const { wait } = useDurations();
  const { demo } = useViewer();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isMissing, setIsMissing] = useState(false);
  const isRejected = isMissing || sending.problem?.kind === 'rejected';

  useEffect(() => {
    if (isBack) field.current?.select();
  }, [isBack]);

  useEffect(() => {
    if (isRejected) field.current?.focus();
  }, [isRejected]);

  /** Continues with an address. An invalid one shows its error without a call. */
  function goOn(step: () => void): void {
    setIsMissing(!address.test(email));
    if (address.test(email)) step();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!sending.busy && sending.retryInSeconds === 0) goOn(() => sending.run(email));
  }

  return (
    <form className={classNames(layout.stack3, styles.email)} onSubmit={submit} noValidate>
      <TextField
        ref={field}
        type="email"
        name="email"
        autoComplete="email"
        maxLength={254}
        required
        label={t('email')}
        placeholder="name@example.com"
        aria-invalid={isRejected || undefined}
        aria-describedby={id}
        value={email}
        onChange={(event) => {
          setIsMissing(false);
          changeDraft({ email: event.target.value, step: 'email', sent: 0 });
          sending.reset();
        }}
      />
      <Button type="submit" variant="primary" wide busy={sending.busy} closed={sending.retryInSeconds > 0}>
        {sending.busy && t('sending')}
        {!sending.busy && sending.retryInSeconds > 0 && t('againIn', { time: wait(sending.retryInSeconds) })}
        {!sending.busy && sending.retryInSeconds === 0 && t('send')}
      </Button>
      <MessageSlot
        id={id}
        note={<p className={layout.hint}>{t(demo ? 'leadDemo' : 'lead')}</p>}
        error={
          isRejected ? (
            <FieldError>{t('badEmail')}</FieldError>
          ) : (
            renderProblem({ call: sending, failed: t('notSent') })
          )
        }
      />
      <Button variant="quiet" onClick={() => goOn(() => changeDraft({ ...draft, step: 'code' }))}>
        {t('hasCode')}
      </Button>
    </form>
  );
}
