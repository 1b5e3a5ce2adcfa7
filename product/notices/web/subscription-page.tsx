import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { getSubscription, setSubscription } from '../client.ts';
import type { SubscriptionView } from '../contract/preferences.ts';
import { showSubscription } from './live.ts';

export const loader = routeData({ texts: ['notices'], always: true });
export const clientLoader = routeData({ texts: ['notices'], always: true });
export const handle = { always: true };

/** Which emails a person gets: opened by the link in one of them, or when logged in. */
export default function SubscriptionPage() {
  const { t } = useTranslation('notices');
  const [query] = useSearchParams();
  const token = query.get('token');
  const answer = useRead(getSubscription, token === null ? {} : { token });
  return (
    <Narrow title={t('subscription.title')}>
      <Loaded read={answer} height="h-48">
        {(subscription) => (
          query.has('one') && token !== null && subscription.kind !== null
            ? <OneKind subscription={subscription} token={token} kind={subscription.kind} />
            : <Subscription subscription={subscription} token={token} />
        )}
      </Loaded>
    </Narrow>
  );
}

/** One button that ends emails of the kind that led here. */
function OneKind({ subscription: { email, kinds }, token, kind }: {
  readonly subscription: SubscriptionView;
  readonly token: string;
  readonly kind: string;
}) {
  const { t } = useTranslation('notices');
  const action = useAction(setSubscription, showSubscription);
  const { label = '', on = false } = kinds.find((item) => item.kind === kind) ?? {};
  return (
    <div className="flex flex-col gap-4">
      <p className="wrap-anywhere text-muted">{t('subscription.lead', { email })}</p>
      <p className="font-medium">{label}</p>
      <FormError problem={action.problem} />
      <p role="status">{on ? '' : t('email.ended')}</p>
      {on
        ? (
          <Button
            tone="primary"
            busy={action.busy}
            onClick={() => void action.run({ token, kind, on: false })}
          >
            {t('subscription.stopOne')}
          </Button>
        )
        : null}
      <Link
        to={`/email/subscription?token=${encodeURIComponent(token)}`}
        className="inline-flex min-h-11 items-center text-link hover:underline"
      >
        {t('subscription.all')}
      </Link>
    </div>
  );
}

function Subscription(
  { subscription: { email, kinds }, token }: { subscription: SubscriptionView; token: string | null },
) {
  const { t } = useTranslation('notices');
  const action = useAction(setSubscription, showSubscription);
  const [said, setSaid] = useState('');
  const change = async (on: boolean, kind?: string) => {
    const answer = await action.run({
      on,
      ...(token === null ? {} : { token }),
      ...(kind === undefined ? {} : { kind }),
    });
    if (!answer) return;
    setSaid(kind === undefined ? t('subscription.stopped') : t('subscription.saved'));
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="wrap-anywhere text-muted">{t('subscription.lead', { email })}</p>
      {kinds.length === 0 ? <p>{t('subscription.none')}</p> : (
        <div>
          {kinds.map(({ kind, label, on }) => (
            <Checkbox
              key={kind}
              label={label}
              checked={on}
              disabled={action.busy}
              onChange={({ target }) => void change(target.checked, kind)}
            />
          ))}
        </div>
      )}
      <FormError problem={action.problem} />
      <p role="status" className="text-sm">{said}</p>
      {kinds.some(({ on }) => on)
        ? <Button busy={action.busy} onClick={() => void change(false)}>{t('subscription.stop')}</Button>
        : null}
      {token === null
        ? (
          <Link
            to="/notifications/settings"
            className="inline-flex min-h-11 items-center text-link hover:underline"
          >
            {t('subscription.more')}
          </Link>
        )
        : null}
    </div>
  );
}
