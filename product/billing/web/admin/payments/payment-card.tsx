import { keyOf } from '#platform/text/message-keys.ts';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { OrderState } from '../../account/orders-section.tsx';
import { billerText, CardName, Price, Refunded, useProductName } from '../../money.tsx';
import { RefundButton } from '../refund-button.tsx';
import { AskAgain } from './ask-again.tsx';
import { stepsOf, type Payment, type Step } from './payment-steps.ts';

/** One payment in full: details, attribution and history. */
export function PaymentCard({ payment }: { payment: Payment }) {
  const { t } = useTranslation('billing');
  const nameOf = useProductName();
  return (
    <Card className="flex flex-col gap-6 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h3 className="text-base font-bold">{nameOf(payment)}</h3>
        <Price amount={payment.price} className="font-bold" />
        <OrderState state={payment.state} />
        <Refunded order={payment} />
        <Link
          to={`/admin/payments?username=${encodeURIComponent(payment.username)}`}
          className="inline-flex min-h-11 items-center text-link hover:underline pointer-fine:min-h-8"
        >
          @{payment.username}
        </Link>
      </div>
      <div className="grid gap-6 lg:grid-cols-2">
        <Facts payment={payment} />
        <Origin trace={payment.trace} />
      </div>
      <section>
        <h4 className="mb-3 text-sm font-bold">{t('web.admin.steps.title')}</h4>
        <ol className="ml-1 flex flex-col gap-4 border-l border-line pl-4 text-sm">
          {stepsOf(payment).map((step, at) => (
            <li
              key={`${step.kind} ${at}`}
              className="relative before:absolute before:top-2
              before:-left-[21px] before:size-2 before:rounded-full before:bg-field"
            >
              <StepText step={step} payment={payment} />
              <span className="tabular block text-xs text-muted">
                <Moment at={step.at} show="second" />
              </span>
            </li>
          ))}
        </ol>
      </section>
      <div className="flex flex-wrap gap-3">
        <AskAgain id={payment.id} />
        <RefundButton payment={payment} />
      </div>
    </Card>
  );
}

const LIST = `grid grid-cols-[auto_minmax(0,1fr)] content-start gap-x-4 gap-y-1 text-sm [&_dd]:break-words
  [&_dt]:text-muted`;

function Facts({ payment }: { payment: Payment }) {
  const { t } = useTranslation('billing');
  const { began_with: began, card, descriptor, reference, seller } = payment;
  return (
    <dl className={LIST}>
      <dt>{t('web.admin.order')}</dt>
      <dd className="tabular">{payment.id}</dd>
      {began
        ? (
          <>
            <dt>{t('web.admin.beganWith')}</dt>
            <dd className="tabular">
              <Link to={`/admin/payments?order=${began}`} className="text-link hover:underline">{began}</Link>
            </dd>
          </>
        )
        : null}
      <dt>{t('web.admin.begun')}</dt>
      <dd>{t(`web.admin.purpose.${payment.purpose}`)}</dd>
      <dt>{t('web.receipt.biller')}</dt>
      <dd>
        {billerText(payment.biller)}
        {card
          ? (
            <>
              {' · '}
              <CardName card={card} />
            </>
          )
          : null}
      </dd>
      <dt>{t('web.admin.reference')}</dt>
      <dd className="tabular">{reference ?? '—'}</dd>
      {descriptor === '' ? null : (
        <>
          <dt>{t('web.buy.statement')}</dt>
          <dd>{descriptor}</dd>
        </>
      )}
      {seller
        ? (
          <>
            <dt>{t('web.receipt.seller')}</dt>
            <dd>{seller.name} · {seller.brand}</dd>
          </>
        )
        : null}
    </dl>
  );
}

/** Attribution: the advert, and digests of the device, which show only whether two devices are the same. */
function Origin({ trace: { advert_id: advert, device, blackbox } }: Pick<Payment, 'trace'>) {
  const { t } = useTranslation('billing');
  return (
    <section aria-label={t('web.admin.origin.title')}>
      <dl className={LIST}>
        <dt>{t('web.admin.origin.advert')}</dt>
        <dd>{advert ?? '—'}</dd>
        <dt>{t('web.admin.origin.device')}</dt>
        <dd>
          <SharedSign sign={device} />
        </dd>
        <dt>{t('web.admin.origin.blackbox')}</dt>
        <dd>
          <SharedSign sign={blackbox} />
        </dd>
      </dl>
      <p className="pt-2 text-xs text-muted">{t('web.admin.origin.note')}</p>
    </section>
  );
}

function SharedSign({ sign }: { sign: Payment['trace']['device'] }) {
  const { t, i18n } = useTranslation('billing');
  if (sign === null) return '—';
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="tabular">{sign.id}</span>
      {sign.people > 1
        ? (
          <Pill tone="warning">
            {t('web.admin.origin.people', { amount: formatCount(sign.people, i18n.language) })}
          </Pill>
        )
        : null}
    </span>
  );
}

function StepText({ step, payment }: { step: Step; payment: Payment }): ReactNode {
  const { t } = useTranslation('billing');
  const biller = billerText(payment.biller);
  switch (step.kind) {
    case 'made':
      return t('web.admin.steps.made');
    case 'asked': {
      const { count } = step;
      return t(count === 0 ? 'web.admin.steps.asked' : 'web.admin.steps.askedTimes', { biller, count });
    }
    case 'back':
      return t('web.admin.steps.back');
    case 'booked':
      return (
        <>
          {t('web.admin.steps.booked')} {step.operation === null
            ? null
            : (
              <Link to={`/admin/ledger?operation=${step.operation}`} className="text-link hover:underline">
                {t('web.admin.operation')}
              </Link>
            )}
        </>
      );
    case 'event':
      return (
        <>
          {t('web.admin.steps.event', {
            biller,
            what: t(keyOf('billing', 'web.admin.event', step.event.type)),
          })}
          {step.event.amount
            ? (
              <>
                {' · '}
                <Price amount={step.event.amount} />
              </>
            )
            : null}
          <span className="text-muted">
            {' · '}
            {t(keyOf('billing', 'web.admin.outcome', step.event.outcome))}
            {' · '}
            <span className="tabular break-all">{step.event.reference}</span>
          </span>
        </>
      );
    case 'callback':
      return (
        <details>
          <summary className="min-h-6">
            {t('web.admin.steps.callback', { biller, method: step.callback.method })}
            <span className="text-muted">
              {' · '}
              {t(keyOf('billing', 'web.admin.outcome', step.callback.outcome))}
            </span>
          </summary>
          <pre className="my-2 overflow-x-auto rounded-control bg-raised p-2 text-xs whitespace-pre-wrap
          break-all">
          {step.callback.body}
          </pre>
        </details>
      );
  }
}
