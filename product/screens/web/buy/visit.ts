import type { CallFunction } from '#platform/contract/client.ts';
import { problemOf, useCall } from '#platform/ui/calls/calls.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getJoinOffer, getOrder, listOrders, listPromos } from '#product/billing/client.ts';
import type { ProductView } from '#product/billing/contract.ts';
import { verifyPath } from '#product/billing/rules/payments/card-check.ts';
import { waitStep } from '#product/billing/rules/payments/flow.ts';
import {
  orderOfReturn,
  paymentReturn,
  type PaymentReturn,
} from '#product/billing/rules/payments/payment-return.ts';
import { isSpecialOffer } from '#product/billing/rules/promos.ts';
import {
  moneyQuery,
  promoReshowMs,
  showsPostpay,
  showsPromoOffer,
  showsTokenForm,
  type MoneyQuery,
} from '#product/billing/rules/prompts.ts';
import { takeDestination } from '#product/billing/web/destination.ts';
import { deviceReport, type DeviceReport } from '#product/billing/web/device.ts';
import type { ListingOptions, MoneyStep } from '#product/billing/web/steps.ts';
import { consent } from '#product/consent/web/consent.ts';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';

/** Stored in this browser: visits so far, and that the post-pay modal was seen. */
const VISITS_KEY = 'candela.visits';
const POSTPAY_SEEN_KEY = 'candela.postpaySeen';
/** Stored for this tab: that its visit was counted, and what its first address asked for. */
const COUNTED_KEY = 'candela.visitCounted';
const QUERY_KEY = 'candela.moneyQuery';
const ADVERT_KEY = 'candela.advert';

/**
 * What this tab's first address asked of the money screens; a payment return clears the address. The advert
 * is stored only for people who allow it.
 */
function cameWith(): MoneyQuery {
  const { advertId, ...asked } = moneyQuery(new URLSearchParams(location.search));
  const isSaid = (value: unknown): boolean => value !== null && value !== false;
  if (advertId !== null && consent.allows('marketing')) sessionStorage.setItem(ADVERT_KEY, advertId);
  if (advertId !== null || Object.values(asked).some(isSaid)) {
    sessionStorage.setItem(QUERY_KEY, JSON.stringify(asked));
  }
  const stored = sessionStorage.getItem(QUERY_KEY);
  const known = stored === null ? asked : JSON.parse(stored) as typeof asked;
  return { ...known, advertId: advertId ?? sessionStorage.getItem(ADVERT_KEY) };
}

/** Options in the address for the listing; none on the server, where no dialog is open. */
export function useWish(): ListingOptions {
  const { advertId, crypto: wantsCrypto, voucherCountry, promoTest, promo } = useMemo(
    () => (globalThis.sessionStorage === undefined ? moneyQuery(new URLSearchParams()) : cameWith()),
    [],
  );
  return useMemo(() => {
    let report: DeviceReport | null = null;
    const device = (): DeviceReport => report ??= deviceReport();
    return { advertId, crypto: wantsCrypto, voucherCountry, promoTest, promo, device };
  }, [advertId, wantsCrypto, voucherCountry, promoTest, promo]);
}

/** Visits of this browser, each tab counted once; none where counting is not allowed. */
function countVisit(): number {
  if (!consent.allows('marketing')) return 0;
  const before = Number(localStorage.getItem(VISITS_KEY) ?? 0);
  if (sessionStorage.getItem(COUNTED_KEY) !== null) return 0;
  sessionStorage.setItem(COUNTED_KEY, '1');
  const visits = (Number.isSafeInteger(before) && before > 0 ? before : 0) + 1;
  localStorage.setItem(VISITS_KEY, String(visits));
  return visits;
}

/** Why products are offered: somebody or the address asked for them, or it is a third visit. */
export type PurchaseCause = 'asked' | 'visit';

interface VisitPort {
  readonly go: (step: MoneyStep) => void;
  readonly purchase: (why: PurchaseCause) => void;
}

/** Opens dialogs by itself on a page; returns a function to call when such a dialog was closed. */
export function useVisit({ go, purchase }: VisitPort): (kind: string) => void {
  const me = useMe();
  const port = useRef({ go, purchase });
  port.current = { go, purchase };
  const returned = useReturn(go);
  const promo = usePromo(go);
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const call = useCall();
  const here = useRef({ me, pathname });
  here.current = { me, pathname };
  const openPromo = promo.open;
  useEffect(() => {
    const asked = moneyQuery(new URLSearchParams(location.search));
    const { me: who, pathname: path } = here.current;
    if (returned) return;
    if (asked.freeTokens) {
      // Only people who can still get free tokens are congratulated on them.
      call(listPromos, {}).then(({ promos }) => {
        const free = promos.find(({ kind }) => kind === 'free_tokens');
        if (free) port.current.go({ kind: 'free_tokens', tokens: free.free_tokens });
      }).catch(() => undefined);
      return;
    }
    // The verification page asks guests to log in, and leads back to itself.
    if (asked.verify) return void navigate(verifyPath(location.hostname));
    if (asked.tokenForm || (asked.crypto && who)) return port.current.purchase('asked');
    if (asked.joinForm !== null && !asked.joinFormDisabled && path !== '/join') {
      const { search } = location;
      // An operator without a join offer shows the page that was asked for.
      call(getJoinOffer, { join_form: asked.joinForm })
        .then(() => navigate(`/join${search}`)).catch(() => undefined);
      return;
    }
    const seen = localStorage.getItem(POSTPAY_SEEN_KEY) !== null;
    const ageRequired = who?.user.ageVerification.required ?? false;
    if (
      showsPostpay({ member: who !== null, postpay: who?.settings.postpay ?? false, path, seen, ageRequired })
    ) {
      localStorage.setItem(POSTPAY_SEEN_KEY, '1');
      return port.current.go({ kind: 'postpay_card' });
    }
    const visitor = {
      member: who !== null,
      model: who?.user.type === 'model',
      hasPurchase: who?.has_purchase ?? false,
      path,
    };
    if (showsTokenForm(visitor, countVisit())) return port.current.purchase('visit');
    if (showsPromoOffer(visitor, cameWith())) openPromo(visitor.hasPurchase);
  }, [call, navigate, openPromo, returned]);
  return promo.closed;
}

/** Whether the address is a payment return; handles a return once and clears the address. */
function useReturn(go: (step: MoneyStep) => void): boolean {
  const back = useMemo(() => paymentReturn(new URLSearchParams(location.search)), []);
  const handled = useRef(false);
  const call = useCall();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  useEffect(() => {
    // `/enter.php` in a frame passes the return on to the page around it, and opens nothing itself.
    if (!back || handled.current || pathname === '/enter.php') return;
    handled.current = true;
    const destination = takeDestination();
    void navigate(destination ?? pathname, { replace: true, preventScrollReset: true });
    void stepOfReturn(call, back).then((step) => step && go(step));
  }, [back, call, go, navigate, pathname]);
  return back !== null;
}

/** The dialog that a return shows, from the order behind it; null if this person has no such order. */
async function stepOfReturn(call: CallFunction, back: PaymentReturn): Promise<MoneyStep | null> {
  const { orderId } = back;
  try {
    const named = orderId === null ? null : (await call(getOrder, { id: orderId })).order;
    const newest = orderId === null ? (await call(listOrders, { limit: 1 })).orders[0] ?? null : null;
    const order = orderOfReturn(back, named, newest);
    if (!order) return null;
    // An order that was paid after all is no failure, whatever the address says.
    if (back.kind !== 'failure' || order.state === 'paid') return { kind: 'waiting', orderId: order.id };
    // If the order is over, its own reason counts, not the one in the address.
    const { reason, reference } = waitStep(order.state) === 'wait'
      ? back
      : { reason: order.declined_reason, reference: order.reference };
    return { kind: 'failed', reason, reference, orderId: order.id };
  } catch (error) {
    // Without an answer the dialog of the order asks again, and shows the error.
    return orderId !== null && problemOf(error).status === 0 ? { kind: 'waiting', orderId } : null;
  }
}

/** The promo offer: opens while one runs, and for some adverts once more a minute after it was closed. */
function usePromo(go: (step: MoneyStep) => void) {
  const call = useCall();
  const me = useMe();
  const shown = useRef({ product: null as ProductView | null, times: 0 });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = useCallback(() => {
    const { product, times } = shown.current;
    if (!product) return;
    shown.current = { product, times: times + 1 };
    const { advertId, promo } = cameWith();
    go({ kind: 'promo', product, special: isSpecialOffer(advertId ?? undefined, promo ?? undefined) });
  }, [go]);
  const open = useCallback((hasPurchase: boolean) => {
    const { advertId, promo } = cameWith();
    if (hasPurchase || shown.current.times > 0) return;
    const input = {
      ...(advertId === null ? {} : { advert_id: advertId }),
      ...(promo === null ? {} : { promo }),
    };
    // Without a promotion there is nothing to show, and a failed call deserves no toast.
    call(listPromos, input).then(({ promos }) => {
      const offer = promos.find(({ kind }) => kind === 'special') ??
        promos.find(({ kind }) => kind === 'offer');
      if (!offer?.product) return;
      shown.current = { ...shown.current, product: offer.product };
      show();
    }).catch(() => undefined);
  }, [call, show]);
  const hasPurchase = me?.has_purchase ?? false;
  const bought = useRef(hasPurchase);
  bought.current = hasPurchase;
  const closed = useCallback((kind: string) => {
    if (kind !== 'promo') return;
    const again = promoReshowMs({ hasPurchase }, cameWith(), shown.current.times);
    if (again === null) return;
    timer.current = setTimeout(() => {
      // People who have bought meanwhile are offered nothing more.
      if (!bought.current) show();
    }, again);
  }, [hasPurchase, show]);
  return { open, closed };
}
