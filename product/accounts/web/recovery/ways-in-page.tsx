import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Navigate } from 'react-router';
import { confirmWaysIn, getWaysInCheck, removePasskey, removeProvider } from '../../client.ts';
import type { AddedWayInView } from '../../contract/life/ways-in.ts';
import { isProvider } from '../../rules/providers.ts';
import { useMe } from '../me.ts';
import { showChecked, showPasskeysLeft, showProvidersLeft } from './live.ts';

export const loader = routeData({ texts: ['accounts'] });
export const clientLoader = routeData({ texts: ['accounts'] });

/** Ways to log in that an intruder may have added before a recovery; one tap removes each. */
export default function WaysInPage() {
  const me = useMe();
  return me ? <WaysIn /> : <Navigate to="/login?next=/account/ways-in" replace />;
}

function WaysIn() {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(getWaysInCheck, {});
  const confirm = useAction(confirmWaysIn, showChecked);
  if (!data) {
    return (
      <Narrow title={t('waysIn.title')}>
        {error
          ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
          : (
            <div aria-busy>
              <Skeleton className="h-32" />
            </div>
          )}
      </Narrow>
    );
  }
  if (data.ways_in.length === 0) {
    return (
      <Narrow title={t('waysIn.title')} lead={t('waysIn.none')}>
        <div>
          <ButtonLink to="/account/settings">{t('waysIn.settings')}</ButtonLink>
        </div>
      </Narrow>
    );
  }
  return (
    <Narrow title={t('waysIn.title')} lead={t('waysIn.lead')}>
      <ul aria-label={t('waysIn.title')} className="flex flex-col divide-y divide-line">
        {data.ways_in.map((wayIn) => <WayIn key={`${wayIn.kind} ${wayIn.id} ${wayIn.name}`} wayIn={wayIn} />)}
      </ul>
      <FormError problem={confirm.problem} />
      <Button tone="primary" wide busy={confirm.busy} onClick={() => void confirm.run({})}>
        {t('waysIn.confirm')}
      </Button>
    </Narrow>
  );
}

function WayIn({ wayIn: { kind, id, name, email, added_at: added } }: { readonly wayIn: AddedWayInView }) {
  const { t } = useTranslation('accounts');
  const passkey = useAction(removePasskey, showPasskeysLeft);
  const provider = useAction(removeProvider, showProvidersLeft);
  const shown = kind === 'provider' && isProvider(name) ? t(`providers.${name}`) : name;
  const remove = () => {
    if (kind === 'passkey') void passkey.run({ id });
    else if (isProvider(name)) void provider.run({ provider: name });
  };
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">
          <bdi>{shown}</bdi>
        </p>
        <p className="text-sm break-words text-muted">
          {t(`waysIn.${kind}`)}
          {email === null ? '' : ` · ${email}`} · {t(kind === 'email' ? 'waysIn.replaced' : 'waysIn.added')}
          {' '}
          <RelativeTime at={added} />
        </p>
        {kind === 'email' ? <p className="text-sm">{t('waysIn.emailHint')}</p> : null}
        <FormError problem={passkey.problem ?? provider.problem} />
      </div>
      {kind === 'email'
        ? null
        : (
          <Button
            tone="danger"
            busy={passkey.busy || provider.busy}
            onClick={remove}
            aria-label={t('waysIn.removeNamed', { name: shown })}
          >
            {t('waysIn.remove')}
          </Button>
        )}
    </li>
  );
}
