import { formatMoney } from '#platform/text/money.ts';
import { problemOf, useAction, useCall, useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink, type ButtonTone } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useState } from 'react';
import { getDailyLimit, getPostpay, listCards, settlePostpay } from '../../client.ts';
import { verifyPath } from '../../rules/payments/card-check.ts';
import { stepAfter, useChargeKey } from '../buying.ts';
import { CardChoice, firstCard } from '../choice/card-choice.tsx';
import { useFresh, useReloadMoney } from '../live.ts';
import { Price } from '../money.tsx';
import type { StepProps } from '../steps.ts';

/** Debt, credit limit and the next charge. */
export function PostpayFacts() {
  const { t } = useTranslation('billing');
  const { data, error, refetch } = useFresh(getPostpay, {});
  if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-24" />;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 rounded-control bg-raised px-4 py-3 text-sm
      [&_dd]:text-right [&_dt]:text-muted">
      <dt>{t('web.postpay.owed')}</dt>
      <dd className="flex flex-wrap justify-end gap-x-3">
        <TokenAmount tokens={data.owed} /> <Price amount={data.price} className="text-muted" />
      </dd>
      <dt>{t('web.postpay.left')}</dt>
      <dd>
        <TokenAmount tokens={Math.max(0, data.limit - data.owed)} />
      </dd>
      <dt>{t('web.postpay.limit')}</dt>
      <dd>
        <TokenAmount tokens={data.limit} />
      </dd>
      {data.next_charge_at && data.owed > 0
        ? (
          <>
            <dt>{t('web.postpay.next')}</dt>
            <dd>
              <Moment at={data.next_charge_at} />
            </dd>
          </>
        )
        : null}
    </dl>
  );
}

/** Pays the whole debt now with a saved card. */
export function SettleForm({ go, tone }: Pick<StepProps, 'go'> & { readonly tone?: ButtonTone }) {
  const { t, i18n } = useTranslation('billing');
  const account = useRead(getPostpay, {});
  const cards = useRead(listCards, {});
  const settle = useAction(settlePostpay);
  const call = useCall();
  const reload = useReloadMoney();
  const [chosen, setChosen] = useState<number | null>(null);
  const keys = useChargeKey();
  const cardId = chosen ?? firstCard(cards.data?.cards ?? [])?.id ?? null;
  if (!account.data || !cards.data) {
    const [failed] = [account, cards].filter(({ error }) => error !== null);
    if (!failed?.error) return <Skeleton className="h-24" />;
    return <ErrorState problem={problemOf(failed.error)} onRetry={() => void failed.refetch()} />;
  }
  if (account.data.owed === 0) return <p className="text-sm text-muted">{t('web.postpay.nothing')}</p>;
  const pay = async () => {
    if (cardId === null) return;
    const answer = await settle.run({ cardId }, { idempotencyKey: keys.of(String(cardId)) });
    if (answer) keys.answered(null);
    await reload();
    const step = answer && stepAfter(call, answer);
    if (step) go(step);
  };
  return (
    <div className="flex flex-col gap-4">
      <CardChoice cards={cards.data.cards} chosen={cardId} onChoose={setChosen} savedOnly />
      <FormError problem={settle.problem} />
      <Button
        tone={tone ?? 'secondary'}
        wide
        busy={settle.busy}
        disabled={cardId === null}
        onClick={() => void pay()}
      >
        {t('web.postpay.pay', { price: formatMoney(account.data.price, i18n.language) })}
      </Button>
    </div>
  );
}

/** The post-pay card modal: the debt, whether the card failed, and paying now. */
export function PostpayCardDialog({ go, onClose }: StepProps) {
  const { t } = useTranslation('billing');
  const { data } = useRead(getPostpay, {});
  return (
    <Dialog title={t('web.postpay.title')} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p className={data?.card_failed ? 'text-danger-text' : 'text-muted'}>
          {t(data?.card_failed ? 'web.postpay.cardFailed' : 'web.postpay.lead')}
        </p>
        <PostpayFacts />
        <SettleForm go={go} tone="primary" />
        <Button
          wide
          tone="quiet"
          onClick={() =>
            go({
              kind: 'purchase',
            })}
        >
          {t('web.postpay.buyInstead')}
        </Button>
      </div>
    </Dialog>
  );
}

/**
 * The post-pay verify modal: the daily limit is reached. It shows when it resets, and offers the biller's
 * card check.
 */
export function PostpayVerifyDialog({ go, onClose }: StepProps) {
  const { t } = useTranslation('billing');
  const isOnAccount = useMe()?.settings.postpay ?? false;
  const limit = useRead(getDailyLimit, {});
  const day = limit.data;
  return (
    <Dialog title={t('web.postpay.verifyTitle')} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>{t('web.postpay.verifyText')}</p>
        {isOnAccount ? <PostpayFacts /> : null}
        {day
          ? (
            <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted">
              {t('web.daily.purchases.resets')} <Moment at={day.resets_at} />
            </p>
          )
          : limit.error
          ? <ReadError read={limit} />
          : <Skeleton className="h-5" />}
        <p className="text-sm text-muted">{t('web.postpay.verifyNote')}</p>
        <ButtonLink to={verifyPath(location.hostname)} tone="primary" wide onClick={onClose}>
          {t('web.declined.verify')}
        </ButtonLink>
        {isOnAccount
          ? (
            <Button
              wide
              tone="quiet"
              onClick={() =>
                go({
                  kind: 'purchase',
                })}
            >
              {t('web.postpay.buyInstead')}
            </Button>
          )
          : <Button wide tone="quiet" onClick={onClose}>{t('web.verify.later')}</Button>}
      </div>
    </Dialog>
  );
}
