import { useEffect, useState, type ReactNode } from 'react';
import { problemOf, useAction, useRead } from '../../../../platform/ui/calls/calls.ts';
import { needs } from '../../../../platform/ui/calls/route.ts';
import { Button, ButtonLink } from '../../../../platform/ui/controls/button.tsx';
import { Narrow } from '../../../../platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '../../../../platform/ui/surfaces/states.tsx';
import { TokenAmount } from '../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useLogout } from '../../../accounts/web/logout.ts';
import { useLoginPrompt } from '../../../accounts/web/login-prompt.tsx';
import { useMe } from '../../../accounts/web/me.ts';
import { getJoinOffer, getPurchaseLink, promoUnavailable, type ProductView } from '../../contract.ts';
import { joinFace, moneyQuery } from '../../rules/prompts.ts';
import { useBuying } from '../buying.ts';
import { keepDestination } from '../destination.ts';
import { Price } from '../money.tsx';
import { Choice, ProductChoice } from '../product-choice.tsx';
import type { MoneyStep } from '../steps.ts';
import type { InputOf, OutputOf } from '../../../../platform/contract/call.ts';

type Offer = OutputOf<typeof getJoinOffer>;

const wanted = { texts: ['billing'] };
export const loader = needs(wanted);
export const clientLoader = needs(wanted);

/** The join offer: one of four faces, as the answer says. Off unless the operator runs it. */
export default function JoinPage() {
  const { t } = useTranslation('billing');
  // The address is the visitor's: the document is the same for all.
  const [asked, setAsked] = useState<{ join_form?: string; promo?: string } | null>(null);
  useEffect(() => {
    const { joinForm, promo } = moneyQuery(new URLSearchParams(location.search));
    setAsked({ ...(joinForm === null ? {} : { join_form: joinForm }), ...(promo === null ? {} : { promo }) });
  }, []);
  const { data, error, refetch } = useRead(getJoinOffer, asked ?? {}, { enabled: asked !== null });
  if (data) return <JoinOffer offer={data} />;
  const content = (): ReactNode => {
    if (!error) return <div aria-busy><Skeleton className="h-64" /></div>;
    const problem = problemOf(error);
    return problem.errorType === promoUnavailable.code
      ? <EmptyState text={t('web.join.off')} action={<ButtonLink to="/">{t('web.join.home')}</ButtonLink>} />
      : <ErrorState problem={problem} onRetry={() => void refetch()} />;
  };
  return <Narrow title={t('web.join.title')}>{content()}</Narrow>;
}

function JoinOffer({ offer }: { offer: Offer }) {
  const { t } = useTranslation('billing');
  const [step, setStep] = useState<MoneyStep | null>(null);
  const buying = useBuying(setStep);
  const ask = useLoginPrompt();
  const me = useMe();
  const variant = joinFace(offer);
  const link = useAction(getPurchaseLink);
  const isAdmitted = async (): Promise<boolean> => me !== null || ask('join');
  const take = async (product: ProductView | null) => {
    if (product && await isAdmitted()) await buying.buy({ product, cardId: null, method: 'credit' });
  };
  /** On to the biller's page that a link of the offer stands for. */
  const follow = async (billerLink: string | undefined) => {
    if (billerLink === undefined || !(await isAdmitted())) return;
    const opened = await link.run(purchaseOf(billerLink));
    if (!opened) return;
    keepDestination('/account/tokens');
    location.assign(opened.purchase_link);
  };
  const busy = buying.busy || link.busy;
  const problem = buying.problem ?? link.problem;
  return (
    <Narrow title={t(`web.join.${variant}.title`)} lead={t(`web.join.${variant}.lead`)}>
      <div className="flex flex-col gap-4">
        {variant === 'account' || variant === 'free' ? (
          <>
            <Button tone="primary" wide disabled={!offer.cc} busy={busy}
              onClick={() => void follow(offer.cc?.biller_link)}>
              {t('web.join.card')}
            </Button>
            <Button wide disabled={!offer.pp} busy={busy} onClick={() => void follow(offer.pp?.biller_link)}>
              {t('web.join.paypal')}
            </Button>
          </>
        ) : null}
        {variant === 'welcome_back'
          ? <WelcomeBack products={offer.regular ?? []} busy={busy} onTake={(one) => void take(one)} />
          : null}
        {variant === 'promo'
          ? <Promo offer={offer} busy={busy} onFollow={(one) => void follow(one)} /> : null}
        <FormError problem={problem && {
          ...problem, message: problem.message || t('web.buy.failed'),
        }} />
        {step ? <p role="status" className="text-sm text-muted">{t('web.waiting.text')}</p> : null}
      </div>
    </Narrow>
  );
}

/** What opens the page a link of the offer stands for: `/billing/purchase-link/…`, with method and biller. */
function purchaseOf(billerLink: string): InputOf<typeof getPurchaseLink> {
  const { pathname, searchParams } = new URL(billerLink, location.origin);
  const biller = searchParams.get('biller');
  return {
    internal_id: decodeURIComponent(pathname.split('/').at(-1) ?? ''), back: '/account/tokens',
    method: searchParams.get('method') === 'paypal' ? 'paypal' : 'card',
    ...(biller === null ? {} : { biller }),
  };
}

interface WelcomeBackProps {
  readonly products: readonly ProductView[];
  readonly busy: boolean;
  readonly onTake: (product: ProductView | null) => void;
}

/** Somebody who has an account: packs, and a way out of it. */
function WelcomeBack({ products, busy, onTake }: WelcomeBackProps) {
  const { t } = useTranslation('billing');
  const logout = useLogout();
  const [chosen, setChosen] = useState(products[0]?.internal_id ?? null);
  return (
    <>
      <ProductChoice label={t('web.buy.products')} products={products} chosen={chosen} low={false}
        onChoose={setChosen} />
      <Button tone="primary" wide busy={busy}
        onClick={() => onTake(products.find((one) => one.internal_id === chosen) ?? null)}>
        {t('web.join.purchase')}
      </Button>
      <Button tone="quiet" wide busy={logout.busy} onClick={logout.run}>{t('web.join.logout')}</Button>
    </>
  );
}

interface PromoProps {
  readonly offer: Offer;
  readonly busy: boolean;
  readonly onFollow: (billerLink: string | undefined) => void;
}

/** Two ways in: a first pack with a gift, or a card on file at no charge. */
function Promo({ offer, busy, onFollow }: PromoProps) {
  const { t } = useTranslation('billing');
  const special = offer.promo?.product ?? null;
  const [choice, setChoice] = useState<'special' | 'pass'>('special');
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">{t('web.join.promo.title')}</legend>
        <Choice name="join" value="special" checked={choice === 'special'} onChoose={() =>
          setChoice('special')}>
          <span className="font-bold">{t('web.join.promo.special')}</span>
          {special ? (
            <span className="flex flex-wrap items-center gap-2 text-muted">
              <TokenAmount tokens={special.tokens} /> <Price amount={special.price} />
              {t('web.join.promo.gift')} <TokenAmount tokens={special.free_tokens} />
            </span>
          ) : null}
        </Choice>
        <Choice name="join" value="pass" checked={choice === 'pass'} onChoose={() => setChoice('pass')}>
          <span className="font-bold">{t('web.join.promo.pass')}</span>
          <span className="text-muted">{t('web.join.promo.passText')}</span>
        </Choice>
      </fieldset>
      <Button tone="primary" wide busy={busy}
        onClick={() => onFollow(choice === 'special' ? offer.promo?.link : offer.cc?.biller_link)}>
        {t('web.join.promo.redeem')}
      </Button>
    </>
  );
}
