import { keyOf } from '#platform/text/message-keys.ts';
import { formatMoney } from '#platform/text/money.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Tabs } from '#platform/ui/controls/tabs.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MEMBERSHIPS } from '#product/accounts/rules/current-user.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { ShoppingBag } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { getBillerNames, listProducts } from '../../client.ts';
import type { ProductView } from '../../contract.ts';
import { CRYPTO_PRODUCT, missingOf, smallestCovering } from '../../rules/products.ts';
import { useBuying, type Buying } from '../buying.ts';
import { CardChoice, firstCard, KeepCard, usable } from '../choice/card-choice.tsx';
import { MembershipTerms } from '../choice/membership-terms.tsx';
import { ProductChoice } from '../choice/product-choice.tsx';
import { Missing, Price, TestLabel, useProductName } from '../money.tsx';
import {
  listingInput,
  METHODS,
  type ListingOptions,
  type Method,
  type MoneyStep,
  type ProductListing,
  type StepProps,
} from '../steps.ts';
import { DeclineNotice } from './decline-notice.tsx';

interface PurchaseDialogProps extends StepProps {
  readonly step: Extract<MoneyStep, { kind: 'purchase' }>;
  readonly wish: ListingOptions;
  /** Content below the products. */
  readonly more?: ReactNode;
}

/** The purchase, low-token and membership dialogs. */
export function PurchaseDialog({ step, wish, go, onClose, more }: PurchaseDialogProps) {
  const { t } = useTranslation('billing');
  const listing = useRead(listProducts, {
    ...listingInput(wish),
    popup_requested: step.popup === true,
    ...(step.biller === undefined ? {} : { biller_pref: step.biller }),
    ...(step.product === undefined ? {} : { wanted: step.product }),
  });
  const title = step.memberships ? 'web.membership.title' : step.low ? 'web.buy.lowTitle' : 'web.buy.title';
  return (
    <Dialog title={t(title)} onClose={onClose} size="large">
      <div className="flex flex-col gap-4" aria-busy={listing.isPending}>
        <BalanceNotes step={step} isTest={listing.data?.is_test ?? false} />
        {listing.data ? <ListingView listing={listing.data} step={step} go={go} /> : null}
        {listing.isPending ? <Loading /> : null}
        {listing.error && !listing.data
          ? <ErrorState problem={problemOf(listing.error)} onRetry={() => void listing.refetch()} />
          : null}
        {more}
      </div>
    </Dialog>
  );
}

function BalanceNotes({ step, isTest }: { step: PurchaseDialogProps['step']; isTest: boolean }) {
  const { t } = useTranslation('billing');
  const me = useMe();
  return (
    <>
      {isTest
        ? (
          <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
            <TestLabel /> {t('web.buy.testText')}
          </p>
        )
        : null}
      {step.low ? <Missing needed={step.needed} unknown={t('web.buy.lowText')} /> : null}
      {step.memberships
        ? (
          <div className="flex flex-col gap-1 text-sm text-muted">
            <p>{t('web.membership.about')}</p>
            <p>{t(me?.user.membership ? 'web.buy.replaces' : 'web.membership.lead')}</p>
            <OwnPrice />
          </div>
        )
        : null}
      {me
        ? (
          <p className="flex items-center justify-between gap-4 text-sm text-muted">
            {t('web.buy.balance')}{' '}
            <TokenAmount tokens={me.tokens} className="text-base font-bold text-text" />
          </p>
        )
        : null}
    </>
  );
}

/** A personal price: the one at joining, or a win-back offer. */
function OwnPrice() {
  const { t, i18n } = useTranslation('billing');
  const me = useMe();
  const own = me?.premium_grandfathered_offer ?? me?.premium_winback_offer;
  if (!own) return null;
  const level = t(
    'web.membership.name',
    { level: t(keyOf('billing', 'web.membership.level', own.membership)) },
  );
  const key = me?.premium_grandfathered_offer ? 'web.membership.keptIs' : 'web.membership.winback';
  return (
    <p className="text-success-text">{t(key, { level, price: formatMoney(own.price, i18n.language) })}</p>
  );
}

const Loading = () => (
  <div className="flex flex-col gap-2">
    {[1, 2, 3, 4].map((line) => <Skeleton key={line} className="h-12" />)}
  </div>
);

/** Memberships: the win-back offer first, without one that the person has at a lower price. */
function membershipsBy(
  method: Method,
  { products, promo_products: promoted }: ProductListing,
  owned: string | null,
) {
  const all = [...(method === 'credit' ? promoted.default : []), ...products[method]];
  return all.filter((item) => item.membership !== null && item.internal_id !== owned);
}

/** Products by payment method, preceded by the wanted one if no list has it; without empty methods. */
function groupsOf(listing: ProductListing, memberships: boolean, owned: string | null) {
  return METHODS.map((method) => {
    const listed = memberships ? membershipsBy(method, listing, owned) : listing.products[method];
    const wanted = listing.wanted[method];
    const isListed = listed.some((item) => item.internal_id === wanted?.internal_id);
    return [method, wanted && !isListed ? [wanted, ...listed] : listed] as const;
  }).filter(([, list]) => list.length > 0);
}

interface ListingProps extends Pick<PurchaseDialogProps, 'step' | 'go'> {
  readonly listing: ProductListing;
}

function ListingView({ listing, step, go }: ListingProps) {
  const { t } = useTranslation('billing');
  const owned = useMe()?.premium_grandfathered_offer?.internal_id ?? null;
  const groups = groupsOf(listing, step.memberships ?? false, owned);
  const buying = useBuying(go);
  const wanted = groups.find(([, list]) => list.some((item) => item.internal_id === step.product));
  const [chosen, setMethod] = useState(step.method ?? wanted?.[0]);
  const method = groups.find(([way]) => way === chosen)?.[0] ?? groups[0]?.[0] ?? 'credit';
  if (groups.length === 0) {
    return <EmptyState icon={<ShoppingBag size={28} aria-hidden />} text={t('web.buy.empty')} />;
  }
  const checkout = ([way, products]: (typeof groups)[number]) => (
    <Checkout key={way} method={way} products={products} listing={listing} step={step} buying={buying} />
  );
  const only = groups.length === 1 ? groups[0] : undefined;
  return (
    <>
      {listing.declined_reason && step.biller === undefined
        ? <DeclineNotice reason={listing.declined_reason} />
        : null}
      {only
        ? checkout(only)
        : (
          <Tabs
            label={t('web.buy.methods')}
            current={method}
            onChange={(key) => setMethod(key as Method)}
            tabs={groups.map((group) => ({
              key: group[0],
              text: t(`web.method.${group[0]}`),
              panel: <div className="pt-4">{checkout(group)}</div>,
            }))}
          />
        )}
      <Fineprint listing={listing} />
    </>
  );
}

interface CheckoutProps {
  readonly method: Method;
  readonly products: readonly ProductView[];
  readonly listing: ProductListing;
  readonly step: PurchaseDialogProps['step'];
  readonly buying: Buying;
}

/**
 * The initially selected product: that of crypto (spec 1 §7), the smallest that covers the missing tokens,
 * the highlighted one, else a pack, else the next higher membership.
 */
function firstProduct(
  method: Method,
  products: readonly ProductView[],
  { own, covers }: { readonly own: string | null; readonly covers: ProductView | undefined },
): ProductView | undefined {
  const level = ({ membership }: Pick<ProductView, 'membership'>): number =>
    (MEMBERSHIPS as readonly (string | null)[]).indexOf(membership);
  const crypto = method === 'crypto' ? products.find((one) => one.internal_id === CRYPTO_PRODUCT) : undefined;
  return crypto ?? covers ?? products.find((product) => product.highlighted)
    ?? products.find((product) => product.membership === null)
    ?? products.find((product) => level(product) > level({ membership: own })) ?? products[0];
}

/** Product, payment method, and button. */
function Checkout({ method, products, listing, step, buying }: CheckoutProps) {
  const { t } = useTranslation('billing');
  const { biller, low = false } = step;
  // Only cards at the preferred biller; others would be charged by the one that declined.
  const cards = biller === undefined ? listing.cards : listing.cards.filter((card) => card.biller === biller);
  const me = useMe();
  const own = me?.user.membership ?? null;
  const missing = missingOf(low ? step.needed : undefined, me?.tokens ?? 0);
  const covers = missing > 0 ? smallestCovering(products, missing) : undefined;
  // If a product was wanted, only that one is preselected, so that nobody buys another at another price.
  const first = step.product === undefined
    ? firstProduct(method, products, { own, covers })
    : products.find((item) => item.internal_id === step.product);
  const [chosen, setChosen] = useState(first?.internal_id ?? null);
  const [cardId, setCardId] = useState(firstCard(cards)?.id ?? null);
  const [keepsCard, setKeepsCard] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  useChosenInView(list);
  const product = products.find((item) => item.internal_id === chosen);
  const takesCard = method === 'credit' && product?.is_oneclick === true && usable(cards).length > 0;
  const charged = takesCard ? cardId : null;
  const asksToKeep = method === 'credit' && charged === null && listing.saves_cards;
  return (
    <div className="flex flex-col gap-4">
      <div ref={list}>
        <ProductChoice
          label={t('web.buy.products')}
          products={products}
          chosen={product?.internal_id ?? null}
          low={low}
          covers={covers?.internal_id ?? null}
          own={own}
          onChoose={setChosen}
        />
      </div>
      {takesCard ? <CardChoice cards={cards} chosen={cardId} onChoose={setCardId} /> : null}
      {/* Sticky, to be reachable however long the list is. */}
      <div className="sticky bottom-0 -mx-6 flex flex-col gap-2 border-t border-line bg-surface px-6 py-3">
        <FormError problem={buying.problem} />
        {asksToKeep ? <KeepCard checked={keepsCard} onChange={setKeepsCard} /> : null}
        {product
          ? (
            <Pay
              product={product}
              isCharged={charged !== null}
              busy={buying.busy}
              onPay={() =>
                void buying.buy({
                  product,
                  cardId: charged,
                  method,
                  trace: listing.trace,
                  keepsCard: asksToKeep && keepsCard,
                })}
            />
          )
          : <NothingChosen />}
      </div>
    </div>
  );
}

/** What is selected, its terms, and the button with its price. */
function Pay({ product, isCharged, busy, onPay }: {
  readonly product: ProductView;
  /** A saved card is charged; otherwise the biller's page opens. */
  readonly isCharged: boolean;
  readonly busy: boolean;
  readonly onPay: () => void;
}) {
  const { t, i18n } = useTranslation('billing');
  const nameOf = useProductName();
  const { days } = product;
  return (
    <>
      <p className="flex justify-between gap-4 text-sm">
        <span className="text-muted">{t('web.buy.chosen')}</span>
        <span className="text-right font-bold">{nameOf(product)}</span>
      </p>
      {days === null ? null : <MembershipTerms product={{ ...product, days }} />}
      <Button tone="primary" wide busy={busy} onClick={onPay}>
        {t(isCharged ? 'web.buy.pay' : 'web.buy.toBiller', {
          price: formatMoney(product.price, i18n.language),
          product: nameOf(product),
        })}
      </Button>
      {days === null
        ? <p className="text-xs text-muted">{t(isCharged ? 'web.buy.cardNote' : 'web.buy.pageNote')}</p>
        : null}
    </>
  );
}

/** Replaces {@link Pay} if the wanted product is not for sale, or not with this method. */
function NothingChosen() {
  const { t } = useTranslation('billing');
  return (
    <>
      <p className="text-sm" role="status">{t('web.buy.gone')}</p>
      <Button tone="primary" wide disabled>{t('web.buy.choose')}</Button>
    </>
  );
}

/** Scrolls a long list so that the selected product is visible. */
function useChosenInView(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    // The dialog opens in this same render.
    const drawing = requestAnimationFrame(() => {
      list.current?.querySelector('input:checked')?.closest('label')?.scrollIntoView({ block: 'nearest' });
    });
    return () => cancelAnimationFrame(drawing);
  }, [list]);
}

/** The remaining daily limit, and the bank statement's descriptor. */
function Fineprint({ listing }: { listing: ProductListing }) {
  const { t } = useTranslation('billing');
  const names = useRead(getBillerNames, {});
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs text-muted">
      <dt>{t('web.buy.today')}</dt>
      <dd className="text-right">
        <Price amount={{ minor: listing.daily_purchase_remaining, currency: listing.currency }} />
      </dd>
      {names.data
        ? (
          <>
            <dt>{t('web.buy.statement')}</dt>
            <dd className="text-right" title={names.data.companies.join(', ')}>{names.data.descriptor}</dd>
          </>
        )
        : null}
      {names.error
        ? (
          <dd className="col-span-2">
            <ReadError read={names} />
          </dd>
        )
        : null}
    </dl>
  );
}
