import { DAY_MS } from '#platform/time/units.ts';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import type { ProductView } from '../../contract.ts';
import { Price } from '../money.tsx';

/** What a membership costs now and later, when it ends by the server's clock, and how to end it. */
export function MembershipTerms({ product: { price, days, renews } }: {
  readonly product: Pick<ProductView, 'price' | 'renews'> & { readonly days: number };
}) {
  const { t } = useTranslation('billing');
  const clock = useServerClock();
  const until = new Date(clock.now() + days * DAY_MS).toISOString();
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <dt className="text-muted">{t('web.membership.now')}</dt>
        <dd className="text-right font-bold">
          <Price amount={price} />
        </dd>
        <dt className="text-muted">{t(renews ? 'web.membership.renewsOn' : 'web.membership.endsOn')}</dt>
        <dd className="text-right">
          <Moment at={until} show="day" />
        </dd>
        {renews
          ? (
            <>
              <dt className="text-muted">{t('web.membership.then', { count: days })}</dt>
              <dd className="text-right">
                <Price amount={price} />
              </dd>
            </>
          )
          : null}
      </dl>
      <p className="text-xs text-muted">{t(renews ? 'web.membership.renews' : 'web.membership.once')}</p>
    </>
  );
}
