import { routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { CardsSection } from '#product/billing/web/account/cards-section.tsx';
import { MembershipSection } from '#product/billing/web/account/membership-section.tsx';
import { OrdersSection } from '#product/billing/web/account/orders-section.tsx';
import { PostpayNotice } from '#product/billing/web/account/postpay-notice.tsx';
import { PostpaySection } from '#product/billing/web/account/postpay-section.tsx';
import { PromosSection } from '#product/billing/web/account/promos-section.tsx';
import { ReUpSection } from '#product/billing/web/account/reup-section.tsx';
import { AgainSection } from '#product/billing/web/card/again-section.tsx';
import { MoneyDialogs } from '#product/billing/web/dialogs/money-dialogs.tsx';
import { PendingSection } from '#product/billing/web/pending-section.tsx';
import type { MoneyStep } from '#product/billing/web/steps.ts';
import { TokenHistory } from '#product/ledger/web/history/history-section.tsx';
import { SpendingLimits } from '#product/ledger/web/limits/limits-section.tsx';
import { OwnTipLimit } from '#product/tips/web/own-limit.tsx';
import { useState } from 'react';
import { useOpenPrompt } from '../shell/money-prompts.tsx';
import { useWish } from './visit.ts';

const wanted = { texts: ['billing', 'ledger', 'tips'], always: true, member: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Everything about one's own tokens and money. Sections read separately, so one failure hides no other. */
export default function TokensPage() {
  const { t } = useTranslation('billing');
  const me = useMe();
  const wish = useWish();
  const openPrompt = useOpenPrompt();
  const [step, setStep] = useState<MoneyStep | null>(null);
  if (!me) return null;
  const mayBuy = me.user.type !== 'model' && me.user.compliance_status !== 'pending';
  return (
    <Wide title={t('web.account.title')} lead={t('web.account.lead')}>
      <div className="flex flex-col gap-6">
        <PostpayNotice go={setStep} />
        {mayBuy ? <AgainSection go={setStep} /> : null}
        <div className="flex flex-wrap items-center justify-between gap-4">
          <p className="flex items-baseline gap-3 text-muted">
            {t('web.buy.balance')} <TokenAmount tokens={me.tokens} className="text-xl font-bold text-text" />
          </p>
          {mayBuy
            ? <Button tone="primary" onClick={() => openPrompt('purchase')}>{t('web.buy.title')}</Button>
            : (
              <p className="max-w-md text-sm text-muted">
                {t(me.user.type === 'model' ? 'web.account.model' : 'web.account.pending')}
              </p>
            )}
        </div>
        <PendingSection />
        {mayBuy
          ? (
            <>
              <CardsSection />
              <ReUpSection />
              <PostpaySection go={setStep} />
              <MembershipSection go={setStep} />
              <PromosSection go={setStep} promo={wish.promo} />
            </>
          )
          : (
            <>
              <CardsSection endsOnly />
              <PostpaySection go={setStep} endsOnly />
              <MembershipSection go={setStep} endsOnly />
            </>
          )}
        <OrdersSection />
        <SpendingLimits />
        <OwnTipLimit />
        <TokenHistory />
      </div>
      {step
        ? (
          <MoneyDialogs
            key={step.kind}
            step={step}
            wish={wish}
            admit={async () => true}
            go={setStep}
            onClose={() => setStep(null)}
          />
        )
        : null}
    </Wide>
  );
}
