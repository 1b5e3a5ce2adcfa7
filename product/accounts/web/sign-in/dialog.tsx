import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { useSignedIn } from '../me.ts';
import { useWelcome } from '../welcome.ts';
import { ForgotForm } from './forgot-form.tsx';
import { LoginForm } from './login-form.tsx';
import { RegisterForm } from './register-form.tsx';

/** Why the prompt opens; shown in it. `join` and `tokens` open the sign-up form first (spec 1 §4). */
export type LoginReason =
  | 'tip'
  | 'chat'
  | 'watch'
  | 'follow'
  | 'hide'
  | 'rate'
  | 'fanclub'
  | 'private'
  | 'sharecam'
  | 'spy'
  | 'ticket'
  | 'goal'
  | 'tokens'
  | 'join'
  | 'plain';

interface SignInDialogProps {
  readonly reason: LoginReason;
  /** Prices of tokens, for people who need some. */
  readonly prices?: ReactNode;
  readonly onClose: (signedIn: boolean) => void;
}

/** The forms of /login, /register and /forgot-password in a modal dialog, with switches between them. */
export default function SignInDialog({ reason, prices, onClose }: SignInDialogProps) {
  const ready = useTexts('accounts');
  const { t } = useTranslation('accounts');
  const [form, setForm] = useState<'login' | 'register' | 'forgot'>(
    reason === 'join' || reason === 'tokens' ? 'register' : 'login',
  );
  const signedIn = useSignedIn();
  const { pathname, search } = useLocation();
  const here = pathname + search;
  const done = async () => {
    await signedIn();
    onClose(true);
  };
  const welcome = useWelcome();
  const welcomed = async () => {
    await done();
    welcome();
  };
  // One dialog for all forms, so that switching does not close it.
  const title = t(`${form}.title`);
  useEffect(() => {
    if (ready) document.querySelector<HTMLInputElement>('dialog[open] form input')?.focus();
  }, [form, ready]);
  if (!ready) return null;
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      {form === 'login' && reason !== 'plain' && reason !== 'join'
        ? <p className="mb-4 text-muted">{t(`reason.${reason}`)}</p>
        : null}
      {form === 'register' && reason === 'tokens'
        ? <p className="mb-4 text-muted">{t('reason.tokensFirst')}</p>
        : null}
      {form !== 'forgot' && (reason === 'tokens' || reason === 'tip') ? prices : null}
      {form === 'login'
        ? (
          <LoginForm
            otherFirst
            next={here}
            onDone={done}
            onLeave={() => onClose(false)}
            onRegister={() => setForm('register')}
            onForgot={() => setForm('forgot')}
          />
        )
        : null}
      {form === 'register'
        ? (
          <RegisterForm
            type="user"
            next={here}
            otherFirst
            onDone={welcomed}
            onLogin={() => setForm('login')}
          />
        )
        : null}
      {form === 'forgot' ? <ForgotForm onLogin={() => setForm('login')} /> : null}
    </Dialog>
  );
}
