import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { PasswordField } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import { listProviders, removeProvider } from '../../client.ts';
import type { ProviderName } from '../../rules/providers.ts';
import { useProvider } from '../providers/provider-buttons.tsx';
import { CodeField } from '../sign-in/fields/code-field.tsx';
import { OwnUsername } from '../sign-in/fields/own-username.tsx';
import { showProviders } from './live.ts';

const SETTINGS = '/account/settings';
const LOGIN_AGAIN = `/login?next=${encodeURIComponent(SETTINGS)}`;

/** Whether providers can log people in here, or one is connected. */
export function useHasProviders(): boolean {
  const { data } = useRead(listProviders, {});
  return data !== undefined && data.linked.length + data.available.length > 0;
}

/** Accounts at providers that log the caller in: each can be connected and disconnected. */
export function Providers() {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(listProviders, {});
  const [connecting, setConnecting] = useState<ProviderName | null>(null);
  const remove = useAction(removeProvider, showProviders);
  const toast = useToast();
  const direct = useProvider();
  if (!data) {
    if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    return (
      <div aria-busy>
        <Skeleton className="h-16" />
      </div>
    );
  }
  const others = data.available.filter((name) => !data.linked.some(({ provider }) => provider === name));
  const connect = (provider: ProviderName) => (data.confirmation === 'none'
    ? void direct.go({ provider, purpose: 'link', next: SETTINGS })
    : setConnecting(provider));
  const disconnect = async (provider: ProviderName) => {
    if (!(await remove.run({ provider }))) return;
    toast(t('providers.disconnected', { provider: t(`providers.${provider}`) }), 'success');
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t('providers.lead')}</p>
      {data.has_password ? null : (
        <p>
          {t('providers.noPassword')}{' '}
          <Link to="/forgot-password" className="text-link hover:underline">
            {t('providers.setPassword')}
          </Link>
        </p>
      )}
      {data.linked.length > 0
        ? (
          <ul aria-label={t('providers.title')} className="flex flex-col divide-y divide-line">
            {data.linked.map(({ provider, email, created_at: since }) => (
              <li key={provider} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
                <div className="min-w-0">
                  <p className="font-medium">{t(`providers.${provider}`)}</p>
                  <p className="text-sm break-words text-muted">
                    {email === null ? '' : `${email} · `}
                    {t('providers.since')} <RelativeTime at={since} />
                  </p>
                </div>
                <Button
                  busy={remove.busy}
                  onClick={() =>
                    void disconnect(provider)}
                  aria-label={t('providers.disconnectNamed', { provider: t(`providers.${provider}`) })}
                >
                  {t('providers.disconnect')}
                </Button>
              </li>
            ))}
          </ul>
        )
        : null}
      <FormError problem={remove.problem ?? direct.problem} />
      <div className="flex flex-wrap gap-3">
        {others.map((provider) => (
          <Button key={provider} busy={direct.busy} onClick={() => connect(provider)}>
            {t('providers.connect', { provider: t(`providers.${provider}`) })}
          </Button>
        ))}
      </div>
      {connecting === null
        ? null
        : (
          <Connect
            provider={connecting}
            withPassword={data.has_password}
            onClose={() => setConnecting(null)}
          />
        )}
    </div>
  );
}

interface ConnectProps {
  readonly provider: ProviderName;
  readonly withPassword: boolean;
  readonly onClose: () => void;
}

/** Asks for the password, or a new log-in, before a way to log in is added. */
function Connect({ provider, withPassword, onClose }: ConnectProps) {
  const { t } = useTranslation('accounts');
  return (
    <Dialog title={t('providers.connect', { provider: t(`providers.${provider}`) })} onClose={onClose}>
      {withPassword ? <ConnectForm provider={provider} /> : (
        <div className="flex flex-col gap-4">
          <p>{t('passkeys.againText')}</p>
          <div>
            <ButtonLink to={LOGIN_AGAIN} tone="primary">{t('passkeys.again')}</ButtonLink>
          </div>
        </div>
      )}
    </Dialog>
  );
}

function ConnectForm({ provider }: Pick<ConnectProps, 'provider'>) {
  const { t } = useTranslation('accounts');
  const { go, problem } = useProvider();
  const [asksCode, setAsksCode] = useState(false);
  if (problem?.errorType === 'code_required' && !asksCode) setAsksCode(true);
  const form = useFields({
    read: (fields) => ({
      password: textOf(fields, 'password'),
      ...(asksCode ? { code: textOf(fields, 'code') } : {}),
    }),
    onSubmit: (proof) => go({ provider, purpose: 'link', next: SETTINGS, ...proof }),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <OwnUsername />
      <PasswordField
        {...form.field('password')}
        label={t('passkeys.password')}
        required
        autoComplete="current-password"
      />
      {asksCode
        ? <CodeField {...form.field('code')} label={t('login.code')} hint={t('login.codeHint')} />
        : null}
      <FormError problem={problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('passkeys.next')}</Button>
      </div>
    </form>
  );
}
