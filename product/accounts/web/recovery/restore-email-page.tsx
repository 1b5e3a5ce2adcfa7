import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { useForm } from '#platform/ui/forms/form.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { getEmailToRestore, restoreEmail } from '../../client.ts';
import { useMe, useSignedIn } from '../me.ts';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

const LINK = 'inline-flex min-h-11 items-center text-link hover:underline';
/** Refusals of a link that no longer works: there is no point in trying again. */
const OVER: ReadonlySet<string> = new Set(['restore_link_over', 'restore_link_used']);
type Restored = OutputOf<typeof restoreEmail>;

/**
 * Opened from the link in the email about a changed address. Putting the earlier one back takes a click, so
 * that programs that open links change nothing.
 */
export default function RestoreEmailPage() {
  const { t } = useTranslation('accounts');
  const [query] = useSearchParams();
  const [restored, setRestored] = useState<Restored | null>(null);
  const me = useMe();
  const signedIn = useSignedIn();
  const done = async (answer: Restored) => {
    setRestored(answer);
    if (me) await signedIn();
  };
  return (
    <Narrow title={t('restoreEmail.title')}>
      {restored
        ? <Done restored={restored} />
        : <Restore token={query.get('token') ?? ''} onDone={done} />}
    </Narrow>
  );
}

function Restore({ token, onDone }: {
  readonly token: string;
  readonly onDone: (answer: Restored) => Promise<void>;
}) {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(getEmailToRestore, { token });
  const form = useForm(restoreEmail, {
    shape: async () => (await import('../../contract/life/former-email.ts')).restoreEmail,
    read: () => ({ token }),
    onDone,
  });
  const problem = form.problem ?? (error ? problemOf(error) : null);
  if (problem && OVER.has(problem.errorType)) {
    return (
      <>
        <FormError problem={problem} />
        <Link to="/forgot-password" className={LINK}>{t('reset.again')}</Link>
      </>
    );
  }
  if (!data) {
    return error
      ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
      : (
        <div aria-busy>
          <Skeleton className="h-32" />
        </div>
      );
  }
  return (
    <form {...form.props} method="post" className="flex flex-col gap-4">
      <p className="wrap-anywhere">{t('restoreEmail.lead', data)}</p>
      <p className="text-sm text-muted">{t('restoreEmail.effect')}</p>
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('restoreEmail.submit')}</Button>
    </form>
  );
}

function Done({ restored: { username, email, ...restored } }: { readonly restored: Restored }) {
  const { t } = useTranslation('accounts');
  return (
    <>
      <p role="status" className="wrap-anywhere">{t('restoreEmail.done', { username, email })}</p>
      {restored.email_confirmed ? null : <p className="wrap-anywhere">{t('restoreEmail.taken')}</p>}
      <Link to="/login" className={LINK}>{t('login.title')}</Link>
    </>
  );
}
