import { keyOf } from '#platform/text/message-keys.ts';
import { useCall } from '#platform/ui/calls/calls.ts';
import { useEvent, useLobby } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe, type Me } from '#product/accounts/web/me.ts';
import { listProducts } from '#product/billing/client.ts';
import { purchaseStep } from '#product/billing/rules/payments/flow.ts';
import { missingOf, tokensOf } from '#product/billing/rules/products.ts';
import { useBillingEvents } from '#product/billing/web/live.ts';
import { listingInput, type MoneyStep, type ProductListing } from '#product/billing/web/steps.ts';
import { tokenUpdate } from '#product/ledger/client.ts';
import { PAYOUT } from '#product/ledger/rules/kinds.ts';
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Asked, MoneyPrompt } from './asked.ts';
import { useVisit, useWish, type PurchaseCause } from './visit.ts';

const MoneyDialogs = lazy(async () => ({
  default: (await import('#product/billing/web/dialogs/money-dialogs.tsx')).MoneyDialogs,
}));
const QuickTab = lazy(async () => ({
  default: (await import('#product/billing/web/choice/quick-tab.tsx')).QuickTab,
}));
const DemoGrant = lazy(async () => ({ default: (await import('./demo-grant.tsx')).DemoGrant }));

/** What is open: a dialog, or on a phone the tab of small packs. */
type Open =
  | MoneyStep
  | { readonly kind: 'quick'; readonly listing: ProductListing; readonly needed: number | undefined };

/** The first dialog of a prompt that needs no check first. */
const STEPS: Readonly<Record<Exclude<MoneyPrompt, 'purchase' | 'low_tokens'>, MoneyStep>> = {
  postpay_card: { kind: 'postpay_card' },
  postpay_verify: { kind: 'postpay_verify' },
  daily_low_limit: { kind: 'daily_low_limit', of: 'spending' },
  declined: { kind: 'declined', reason: null },
  country: { kind: 'country' },
};

/** What the checks before products are offered look at. */
const buyerOf = (me: Me | null) => ({
  isCountryBlocked: me?.user.lastLoginCountryPurchaseBlocked ?? false,
  isPostpay: me?.settings.postpay ?? false,
  isGuest: me === null,
  isModel: me?.user.type === 'model',
  isCompliancePending: me?.user.compliance_status === 'pending',
});

const isPhone = (): boolean => matchMedia('(max-width: 639px)').matches;

/** Everything about money that opens over a page: on request, by an event, or by the address. */
export default function MoneyHost({ asked }: { asked: Asked | null }) {
  const [open, setOpen] = useState<Open | null>(null);
  const go = useCallback((step: MoneyStep) => setOpen(step), []);
  const close = useCallback(() => setOpen(null), []);
  const ask = useLoginPrompt();
  const admit = useAdmit();
  const wish = useWish();
  const purchase = usePurchase(setOpen);
  const latest = useRef(purchase);
  latest.current = purchase;
  useEffect(() => {
    if (!asked) return;
    const { prompt, needed } = asked;
    if (prompt === 'purchase' || prompt === 'low_tokens') {
      void latest.current(prompt === 'low_tokens' ? 'low' : 'asked', needed);
    } else setOpen(STEPS[prompt]);
  }, [asked, ask]);
  const closed = useVisit({ go, purchase: (why) => void latest.current(why) });
  useMoneyEvents(go);
  if (!open) return null;
  const onClose = () => {
    close();
    closed(open.kind);
  };
  return (
    <Suspense fallback={null}>
      {open.kind === 'quick'
        ? <QuickTab listing={open.listing} needed={open.needed} go={go} onClose={onClose} />
        : (
          <MoneyDialogs
            key={open.kind}
            step={open}
            wish={wish}
            admit={admit}
            go={go}
            onClose={onClose}
            more={<DemoGrant onDone={close} />}
          />
        )}
    </Suspense>
  );
}

/** Asks a guest to sign up; true once somebody is logged in. */
function useAdmit(): () => Promise<boolean> {
  const me = useMe();
  const ask = useLoginPrompt();
  return useCallback(async () => me !== null || ask('tokens'), [ask, me]);
}

/**
 * The order of checks (spec 1 §4), then the products: on a phone in a tab, where something can be had at a
 * tap.
 */
function usePurchase(
  open: (step: Open) => void,
): (why: 'low' | PurchaseCause, needed?: number) => Promise<void> {
  const me = useMe();
  const call = useCall();
  const wish = useWish();
  const navigate = useNavigate();
  const ask = useLoginPrompt();
  return async (why, needed) => {
    const popup = why !== 'asked';
    const step = purchaseStep(buyerOf(me));
    if (step === 'country' || step === 'postpay_card') return open({ kind: step });
    if (step === 'account') return void navigate('/account/tokens');
    if (step === 'signup' && !(await ask('tokens'))) return undefined;
    if (isPhone() && !wish.crypto) {
      // Without an answer the dialog itself shows the error.
      const listing = await call(listProducts, { ...listingInput(wish), popup_requested: popup })
        .catch(() => null);
      const missing = missingOf(needed, me?.tokens ?? 0);
      const isEnough = listing?.suggestions.some((product) => tokensOf(product) >= missing) ?? false;
      if (listing && isEnough && listing.cards.some((card) => !card.expired)) {
        return open({ kind: 'quick', listing, needed });
      }
    }
    return open({
      kind: 'purchase',
      low: why === 'low',
      needed,
      popup,
      ...(wish.crypto ? { method: 'crypto' } : {}),
    });
  };
}

/** Toasts of money, and dialogs that an event opens. */
function useMoneyEvents(go: (step: MoneyStep) => void): void {
  const lobby = useLobby();
  const toast = useToast();
  const isReady = useTexts('billing');
  const { t, i18n } = useTranslation('billing');
  const say = (key: string, tokens: number, isError: boolean) => {
    if (!isReady) return;
    toast(
      t(
        keyOf('billing', 'web.toast', key),
        { n: formatCount(tokens, i18n.language) },
      ),
      isError ? 'error' : 'success',
    );
  };
  useBillingEvents(lobby, { open: go, say });
  useEvent(lobby, tokenUpdate, ({ type, token_change: change }) => {
    if (type === PAYOUT) say('payout', Math.abs(change), false);
  });
}
