import { useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { ContactForm } from '#product/support/web/contact-form.tsx';
import { CircleCheck } from 'lucide-react';
import { Link } from 'react-router';
import { getOrder, listProducts } from '../../client.ts';
import { verifyPath } from '../../rules/payments/card-check.ts';
import { waitStep } from '../../rules/payments/flow.ts';
import { AGAIN, againPath, declineWays, type DeclineWay } from '../../rules/payments/payment-return.ts';
import { keepDestination } from '../destination.ts';
import { Bought, CardName, Price } from '../money.tsx';
import { againStep, METHODS, type MoneyStep, type ProductListing, type StepProps } from '../steps.ts';
import { DeclineNotice } from './decline-notice.tsx';
import { useOrderUntilPaid } from './waiting-dialog.tsx';

type StepOf<Kind extends MoneyStep['kind']> = { readonly step: Extract<MoneyStep, { kind: Kind }> };

/** Closes after this time, so that people who paid from a room see the show; purchases have the receipt. */
const SUCCESS_SECONDS = 60;

/** A paid order: tokens, price, bank statement. */
export function SuccessDialog({ step, onClose }: StepProps & StepOf<'success'>) {
  const { t } = useTranslation('billing');
  const me = useMe();
  const read = useRead(getOrder, { id: step.orderId });
  const order = read.data?.order;
  return (
    <Dialog
      title={t('web.success.title')}
      onClose={onClose}
      closesAfterSeconds={SUCCESS_SECONDS}
      actions={<Button tone="primary" onClick={onClose}>{t('web.success.done')}</Button>}
    >
      <div className="flex flex-col gap-4">
        <p className="flex items-center gap-3" role="status">
          <CircleCheck size={28} aria-hidden className="shrink-0 text-success-text" />
          <span>{t('web.success.text')}</span>
        </p>
        {read.isPending ? <Skeleton className="h-24" /> : null}
        <ReadError read={read} />
        {order
          ? (
            <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 rounded-control bg-raised px-4 py-3
            text-sm [&_dd]:text-right [&_dt]:text-muted">
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
              <dt>{t('web.success.price')}</dt>
              <dd>
                <Price amount={order.price} />
              </dd>
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
              {order.descriptor === '' ? null : (
                <>
                  <dt>{t('web.buy.statement')}</dt>
                  <dd>{order.descriptor}</dd>
                </>
              )}
              {me
                ? (
                  <>
                    <dt>{t('web.buy.balance')}</dt>
                    <dd>
                      <TokenAmount tokens={me.tokens} />
                    </dd>
                  </>
                )
                : null}
            </dl>
          )
          : null}
        {order
          ? (
            <Link
              to={`/account/receipts/${order.id}`}
              onClick={onClose}
              className="inline-flex min-h-11 items-center text-sm text-link hover:underline"
            >
              {t('web.orders.receipt')}
            </Link>
          )
          : null}
      </div>
    </Dialog>
  );
}

/**
 * A failed payment: the biller's reason, and a button to try again. If the order is still open, an address
 * that says it failed may be wrong, so nobody can pay again until it is settled.
 */
export function FailedDialog({ step, go, onClose }: StepProps & StepOf<'failed'>) {
  const { t } = useTranslation('billing');
  const { data } = useOrderUntilPaid(step.orderId, go);
  const order = data?.order;
  const isOver = order !== undefined && waitStep(order.state) !== 'wait';
  return (
    <Dialog
      title={t('web.failed.title')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.close')}</Button>
          {isOver
            ? (
              <Button tone="primary" onClick={() => go(againStep(order))}>
                {t('web.failed.again')}
              </Button>
            )
            : null}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <DeclineNotice reason={step.reason} />
        <p role="status" className="text-sm text-muted">
          {t(isOver ? 'web.failed.text' : 'web.failed.open')}
        </p>
        {step.reference
          ? <p className="tabular text-xs text-muted">{t('web.reference', { reference: step.reference })}</p>
          : null}
      </div>
    </Dialog>
  );
}

/** A declined card: the reason, and four ways to go on. */
export function DeclinedDialog({ step, go, onClose }: StepProps & StepOf<'declined'>) {
  const { t } = useTranslation('billing');
  const listing = useRead(listProducts, {});
  const read = useRead(getOrder, { id: step.orderId ?? '' }, { enabled: step.orderId !== undefined });
  const order = read.data?.order;
  const [first, ...rest] = declineWays(step.reason);
  /**
   * Waits for the answers if the person is quicker. Without them another product would be selected, or the
   * same biller offered again; if they fail, the dialog stays and shows why.
   */
  const choose = async (item: DeclineWay): Promise<void> => {
    const declined = step.orderId === undefined ? undefined : order ?? (await read.refetch()).data?.order;
    if (step.orderId !== undefined && declined === undefined) return;
    if (item !== 'other_biller') return go(againStep(declined));
    const known = listing.data ?? (await listing.refetch()).data;
    if (known) go(againStep(declined, elsewhere(known, declined?.biller)));
  };
  const way = (item: DeclineWay, primary: boolean) => (
    <Way
      key={item}
      way={item}
      primary={primary}
      orderId={step.orderId}
      onClose={onClose}
      onChoose={() => void choose(item)}
    />
  );
  return (
    <Dialog title={t('web.declined.title')} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>{t('web.declined.text')}</p>
        {step.reason ? <DeclineNotice reason={step.reason} /> : null}
        {order ? <Bought order={order} /> : null}
        <ReadError read={read.error ? read : listing} />
        <div className="flex flex-col gap-2">
          {first ? way(first, true) : null}
          {rest.map((item) => way(item, false))}
        </div>
        <p className="text-xs text-muted">{t('web.declined.nothing')}</p>
      </div>
    </Dialog>
  );
}

/** Another biller than the one that declined, else another method. */
function elsewhere(
  { billers, products }: ProductListing,
  declined: string | undefined,
): Pick<StepOf<'purchase'>['step'], 'biller' | 'method'> {
  const biller = billers.find((name) => name !== (declined ?? billers[0]));
  if (biller !== undefined) return { biller, method: 'credit' };
  const method = METHODS.find((text) => text !== 'credit' && products[text].length > 0);
  return method === undefined ? {} : { method };
}

function Way({ way, primary, orderId, onChoose, onClose }: Pick<StepProps, 'onClose'> & {
  readonly way: DeclineWay;
  readonly primary: boolean;
  readonly orderId: string | undefined;
  readonly onChoose: () => void;
}) {
  const { t } = useTranslation('billing');
  const tone = primary ? 'primary' : 'secondary';
  const text = t(`web.declined.${way}`);
  if (way === 'verify') {
    return (
      <ButtonLink
        to={verifyPath(location.hostname)}
        state={{ [AGAIN]: orderId }}
        tone={tone}
        wide
        onClick={onClose}
      >
        {text}
      </ButtonLink>
    );
  }
  if (way === 'other_card') {
    return (
      <ButtonLink
        to="/account/card"
        reloadDocument
        tone={tone}
        wide
        onClick={() => (orderId === undefined ? undefined : keepDestination(againPath(orderId)))}
      >
        {text}
      </ButtonLink>
    );
  }
  return <Button tone={tone} wide onClick={onChoose}>{text}</Button>;
}

/** A problem that only support can solve. */
export function SupportDialog({ onClose }: StepProps) {
  const { t } = useTranslation('billing');
  return (
    <Dialog
      title={t('web.support.title')}
      onClose={onClose}
      actions={<Button onClick={onClose}>{t('web.close')}</Button>}
    >
      <p className="mb-4">{t('web.support.text')}</p>
      {useTexts('support') ? <ContactForm topic="payment" /> : <Skeleton className="h-64" />}
    </Dialog>
  );
}

/** Buying is closed in the country of the last log-in. */
export function CountryDialog({ onClose }: StepProps) {
  const { t } = useTranslation('billing');
  return (
    <Dialog
      title={t('web.country.title')}
      onClose={onClose}
      actions={<Button tone="primary" onClick={onClose}>{t('web.close')}</Button>}
    >
      <p>{t('web.country.text')}</p>
    </Dialog>
  );
}
