import { formatMoney } from '#platform/text/money.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { Printer } from 'lucide-react';
import { useParams } from 'react-router';
import { getOrder } from '../../client.ts';
import { tokensBack } from '../../rules/payments/refunds.ts';
import { billerText, CardName, Price, useProductName } from '../money.tsx';
import type { Order } from '../steps.ts';
import { OrderState } from './orders-section.tsx';

const wanted = {
  texts: ['billing'],
  always: true,
  member: true,
  reads: ({ params }: { params: Record<string, string | undefined> }) => [
    read(getOrder, { id: params['id'] ?? '' }),
  ],
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** A receipt; printed without the rest of the page. */
export default function ReceiptPage() {
  const { t } = useTranslation('billing');
  const { id = '' } = useParams();
  const { data, error, refetch } = useRead(getOrder, { id });
  return (
    <Narrow title={t('web.receipt.title')}>
      {data ? <Receipt order={data.order} /> : null}
      {error && !data ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} /> : null}
      {data || error ? null : <Skeleton className="h-64" />}
    </Narrow>
  );
}

function Receipt({ order }: { order: Order }) {
  const { t } = useTranslation('billing');
  const me = useMe();
  const nameOf = useProductName();
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 rounded-card border border-line bg-surface p-4
        text-sm [&_dd]:text-right [&_dd]:break-words [&_dt]:text-muted">
        <dt>{t('web.receipt.number')}</dt>
        <dd className="tabular min-w-0">{order.id}</dd>
        <dt>{t('web.receipt.date')}</dt>
        <dd>
          <Moment at={order.paid_at ?? order.at} show="zone" />
        </dd>
        {order.seller ? <Seller seller={order.seller} /> : null}
        {me
          ? (
            <>
              <dt>{t('web.receipt.buyer')}</dt>
              <dd>
                <Typed>{me.user.display_name}</Typed> · @{me.user.username}
              </dd>
            </>
          )
          : null}
        <dt>{t('web.receipt.what')}</dt>
        <dd>{nameOf(order)}</dd>
        {order.tokens > 0
          ? (
            <>
              <dt>{t('web.success.tokens')}</dt>
              <dd>
                <TokenAmount tokens={order.tokens} />
              </dd>
            </>
          )
          : null}
        {order.free_tokens > 0
          ? (
            <>
              <dt>{t('web.success.free')}</dt>
              <dd>
                <TokenAmount tokens={order.free_tokens} />
              </dd>
            </>
          )
          : null}
        {order.card
          ? (
            <>
              <dt>{t('web.success.card')}</dt>
              <dd>
                <CardName card={order.card} />
              </dd>
            </>
          )
          : null}
        <dt>{t('web.receipt.biller')}</dt>
        <dd>{billerText(order.biller)}</dd>
        {order.descriptor === '' ? null : (
          <>
            <dt>{t('web.receipt.statement')}</dt>
            <dd>{order.descriptor}</dd>
          </>
        )}
        {order.reference
          ? (
            <>
              <dt>{t('web.receipt.reference')}</dt>
              <dd className="tabular min-w-0">{order.reference}</dd>
            </>
          )
          : null}
        <dt>{t('web.orders.status')}</dt>
        <dd>
          <OrderState state={order.state} />
        </dd>
        <dt className="border-t border-line pt-2 text-base font-bold text-text!">{t('web.receipt.total')}</dt>
        <dd className="border-t border-line pt-2 text-base font-bold">
          <Price amount={order.price} />
        </dd>
        {order.refunded_minor > 0 ? <GivenBack order={order} /> : null}
      </dl>
      <div className="flex flex-wrap gap-3 pt-6 print:hidden">
        <Button icon={<Printer size={20} aria-hidden />} onClick={() => window.print()}>
          {t('web.receipt.print')}
        </Button>
        <ButtonLink to="/account/tokens" tone="quiet">{t('web.receipt.back')}</ButtonLink>
      </div>
    </>
  );
}

/** The seller with its address, and the site if its name differs. */
function Seller({ seller: { name, address, brand } }: { seller: NonNullable<Order['seller']> }) {
  const { t } = useTranslation('billing');
  return (
    <>
      <dt>{t('web.receipt.seller')}</dt>
      <dd>
        {name}
        {brand === name ? null : <span className="block">{brand}</span>}
        {address === '' ? null : <span className="block whitespace-pre-line text-muted">{address}</span>}
      </dd>
    </>
  );
}

/** The refund in money and tokens, and the remainder. */
function GivenBack({ order }: { order: Order }) {
  const { t, i18n } = useTranslation('billing');
  const { price, refunded_minor: minor, refunded_at: at } = order;
  const share = (tokens: number): number => tokensBack(tokens, minor, price.minor);
  const tokens = share(order.tokens) + share(order.free_tokens);
  return (
    <>
      <dt>{t(`web.orders.state.${order.state === 'charged_back' ? order.state : 'refunded'}`)}</dt>
      <dd className="tabular">
        {t('web.receipt.partOf', {
          part: formatMoney({ ...price, minor }, i18n.language),
          whole: formatMoney(price, i18n.language),
        })}
      </dd>
      {tokens > 0
        ? (
          <>
            <dt>{t('web.receipt.tokensBack')}</dt>
            <dd>
              <TokenAmount tokens={tokens} />
            </dd>
          </>
        )
        : null}
      {at
        ? (
          <>
            <dt>{t('web.receipt.refunded')}</dt>
            <dd>
              <Moment at={at} show="zone" />
            </dd>
          </>
        )
        : null}
      <dt className="font-bold text-text!">{t('web.receipt.left')}</dt>
      <dd className="font-bold">
        <Price amount={{ ...price, minor: price.minor - minor }} />
      </dd>
    </>
  );
}
