import type { InputOf } from '#platform/contract/call.ts';
import { useAction, useCall } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { KeyRound } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { beginPasskeyLogin, loginByPasskey } from '../client.ts';
import { canAutofill, signWithPasskey, stopOffering, type Hindrance } from './passkey-ceremonies.ts';
import { CodeField } from './sign-in/fields/code-field.tsx';
import { useSuspendedPage, useSuspendedProblem } from './sign-in/suspended.ts';

type Answer = Pick<InputOf<typeof loginByPasskey>, 'ticket' | 'credential'>;
interface PasskeyLoginProps {
  readonly onDone: () => void | Promise<void>;
  /** Called when it navigates to another page, so that a dialog around it closes. */
  readonly onLeave?: (() => void) | undefined;
}

/** Logs in with a passkey: by its button, or from the username field, where browsers can offer it. */
export function PasskeyLogin({ onDone, onLeave }: PasskeyLoginProps) {
  const { t } = useTranslation('accounts');
  const begin = useAction(beginPasskeyLogin);
  const enter = useAction(loginByPasskey);
  const [hindrance, setHindrance] = useState<Hindrance | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const { run } = enter;
  useSuspendedProblem(enter.problem, onLeave);
  // Both the field and the button may return a passkey: a second log-in would end the session of the first.
  const isSent = useRef(false);
  const send = useCallback(async (signed: Answer) => {
    if (isSent.current) return;
    isSent.current = true;
    setAnswer(signed);
    try {
      if (await run(signed)) await onDone();
      else isSent.current = false;
    } catch (error) {
      isSent.current = false;
      throw error;
    }
  }, [run, onDone]);
  useAutofill(send);
  const press = async () => {
    setHindrance(null);
    const begun = await begin.run({});
    if (!begun) return;
    const credential = await signWithPasskey(begun.options, false);
    if (typeof credential === 'string') setHindrance(credential);
    else await send({ ticket: begun.ticket, credential });
  };
  if (answer && enter.problem?.errorType === 'code_required') {
    return <PasskeyCode answer={answer} onDone={onDone} onLeave={onLeave} />;
  }
  return (
    <div className="flex flex-col gap-3">
      <Button
        wide
        icon={<KeyRound size={18} aria-hidden />}
        busy={begin.busy || enter.busy}
        onClick={() => void press()}
      >
        {t('login.passkey')}
      </Button>
      <FormError problem={begin.problem ?? enter.problem} />
      {hindrance ? <p role="status" className="text-sm text-muted">{t(`passkeys.${hindrance}`)}</p> : null}
    </div>
  );
}

/** Offers passkeys in the username field while the form is mounted. */
function useAutofill(send: (answer: Answer) => Promise<void>): void {
  const call = useCall();
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  useEffect(() => {
    let isOver = false;
    const offer = async (): Promise<void> => {
      if (!(await canAutofill()) || isOver) return;
      const { ticket, options } = await call(beginPasskeyLogin, {});
      if (isOver) return;
      const credential = await signWithPasskey(options, true);
      if (!isOver && typeof credential !== 'string') await latest.current({ ticket, credential });
    };
    // The person did not ask for this offer, so its errors are not shown; the button reports them.
    offer().catch(() => undefined);
    return () => {
      isOver = true;
      void stopOffering();
    };
  }, [call]);
}

/** The second step, after an authenticator that did not verify its user. */
function PasskeyCode({ answer, onDone, onLeave }: PasskeyLoginProps & { readonly answer: Answer }) {
  const { t } = useTranslation('accounts');
  const form = useForm(loginByPasskey, {
    shape: async () => (await import('../contract/passkeys.ts')).loginByPasskey,
    read: (fields) => ({ ...answer, code: textOf(fields, 'code') }),
    fieldOf: { code_wrong: 'code' },
    onRefused: useSuspendedPage(onLeave),
    onDone: () => onDone(),
  });
  const { ref } = form.props;
  useEffect(() => {
    ref.current?.querySelector('input')?.focus();
  }, [ref]);
  return (
    <form {...form.props} method="post" aria-label={t('login.passkey')} className="flex flex-col gap-4">
      <CodeField {...form.field('code')} label={t('login.code')} hint={t('login.codeHint')} />
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('login.submit')}</Button>
    </form>
  );
}
