import { keyOf } from '#platform/text/message-keys.ts';
import { formatMoney } from '#platform/text/money.ts';
import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe, type Me } from '#product/accounts/web/me.ts';
import { useState } from 'react';
import { cancelMembership, getMembership } from '../../client.ts';
import { useReloadMoney } from '../live.ts';
import { Price } from '../money.tsx';
import type { MoneyStep } from '../steps.ts';

/**
 * The membership: its end, whether it renews, cancelling it, and starting one.
 * @param endsOnly for a person who may not buy: a membership can be ended, and nothing is offered
 */
export function MembershipSection(
  { go, endsOnly = false }: { readonly go: (step: MoneyStep) => void; readonly endsOnly?: boolean },
) {
  const { t } = useTranslation('billing');
  const me = useMe();
  const read = useRead(getMembership, {});
  const [asking, setAsking] = useState(false);
  const upgrade = (
    <Button onClick={() => go({ kind: 'purchase', memberships: true })}>
      {t(read.data?.membership ? 'web.membership.change' : 'web.membership.get')}
    </Button>
  );
  const ownPrice = me?.premium_grandfathered_offer ?? null;
  if (endsOnly && !read.data?.membership) return null;
  return (
    <Section
      anchor="membership"
      title={t('web.membership.section')}
      lead={t('web.membership.about')}
      action={endsOnly ? undefined : upgrade}
    >
      <Loaded read={read} height="h-16">
        {({ membership, until, renews, price }) => (membership === null
          ? (
            <div className="flex flex-col gap-4">
              <p className="text-sm text-muted">{t('web.membership.none')}</p>
              {me?.premium_winback_offer ? <Winback offer={me.premium_winback_offer} go={go} /> : null}
            </div>
          )
          : (
            <div className="flex flex-wrap items-center justify-between gap-4">
              <p>
                <span className="block font-bold">
                  {t(
                    'web.membership.name',
                    { level: t(keyOf('billing', 'web.membership.level', membership)) },
                  )}
                </span>
                <span className="text-sm text-muted">
                  {t(renews ? 'web.membership.renewsOn' : 'web.membership.endsOn')}{' '}
                  {until ? <Moment at={until} show="day" /> : null}
                  {renews && price
                    ? (
                      <>
                        {' · '}
                        <Price amount={price} />
                      </>
                    )
                    : null}
                </span>
                {ownPrice
                  ? <span className="mt-1 block text-sm text-success-text">{t('web.membership.kept')}</span>
                  : null}
              </p>
              {renews
                ? <Button tone="danger" onClick={() => setAsking(true)}>{t('web.membership.cancel')}</Button>
                : null}
              {asking
                ? (
                  <CancelDialog
                    until={until}
                    losesPrice={ownPrice !== null}
                    onClose={() => setAsking(false)}
                  />
                )
                : null}
            </div>
          ))}
      </Loaded>
    </Section>
  );
}

interface WinbackProps {
  readonly offer: NonNullable<Me['premium_winback_offer']>;
  readonly go: (step: MoneyStep) => void;
}

/** The discounted offer after a membership ended, if the server makes one. Its terms are shown first. */
function Winback({ offer: { internal_id, membership, price }, go }: WinbackProps) {
  const { t, i18n } = useTranslation('billing');
  const level = t('web.membership.name', { level: t(keyOf('billing', 'web.membership.level', membership)) });
  return (
    <div className="flex flex-wrap items-center justify-between gap-4 rounded-control bg-raised px-4 py-3">
      <div className="grow basis-64">
        <p>{t('web.membership.winback', { level, price: formatMoney(price, i18n.language) })}</p>
      </div>
      <Button
        tone="primary"
        onClick={() => go({ kind: 'purchase', memberships: true, product: internal_id })}
      >
        {t('web.membership.winbackTake')}
      </Button>
    </div>
  );
}

interface CancelProps {
  readonly until: string | null;
  /** The person loses a price that new members cannot get. */
  readonly losesPrice: boolean;
  readonly onClose: () => void;
}

function CancelDialog({ until, losesPrice, onClose }: CancelProps) {
  const { t } = useTranslation('billing');
  const cancel = useAction(cancelMembership);
  const reload = useReloadMoney();
  const end = async () => {
    if (!(await cancel.run({}))) return;
    onClose();
    await reload();
  };
  return (
    <Dialog
      title={t('web.membership.cancelTitle')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.keep')}</Button>
          <Button
            tone="danger"
            busy={cancel.busy}
            onClick={() => void end()}
          >
            {t('web.membership.cancel')}
          </Button>
        </>
      }
    >
      <p>{t('web.membership.cancelText')} {until ? <Moment at={until} show="day" /> : null}</p>
      {losesPrice ? <p className="mt-2">{t('web.membership.keptLost')}</p> : null}
      <FormError problem={cancel.problem} />
    </Dialog>
  );
}
