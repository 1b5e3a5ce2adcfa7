import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useLogout } from '#product/accounts/web/logout.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { Fragment, lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { getJoinOffer, promoUnavailable } from '../../client.ts';
import type { ProductView } from '../../contract.ts';
import { joinView, moneyQuery } from '../../rules/prompts.ts';
import { useBuying } from '../buying.ts';
import { KeepCard } from '../choice/card-choice.tsx';
import { Choice } from '../choice/choice.tsx';
import { ProductChoice } from '../choice/product-choice.tsx';
import { Price } from '../money.tsx';
import { NO_OPTIONS, type Method, type MoneyStep } from '../steps.ts';

type Offer = OutputOf<typeof getJoinOffer>;

/** Loaded with the first step of a purchase, which most viewers of the offer never take. */
const MoneyDialogs = lazy(async () => ({
  default: (await import('../dialogs/money-dialogs.tsx')).MoneyDialogs,
}));
/** The page after joining. */
const INSIDE = '/account/tokens';

const wanted = { texts: ['billing'] };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);

interface Terms {
  readonly method?: Method;
  /** The card is saved, as the text beside the button says. */
  readonly keeps?: boolean;
}

/** The join offer in one of four variants. Off by default. */
export default function JoinPage() {
  const { t } = useTranslation('billing');
  // The rendered document is the same for all queries.
  const [asked, setAsked] = useState<{ join_form?: string; promo?: string } | null>(null);
  useEffect(() => {
    const { joinForm, promo } = moneyQuery(new URLSearchParams(location.search));
    setAsked({ ...(joinForm === null ? {} : { join_form: joinForm }), ...(promo === null ? {} : { promo }) });
  }, []);
  const { data, error, refetch } = useRead(getJoinOffer, asked ?? {}, { enabled: asked !== null });
  if (data) return <JoinOffer offer={data} />;
  const content = (): ReactNode => {
    if (!error) {
      return (
        <div aria-busy>
          <Skeleton className="h-64" />
        </div>
      );
    }
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
  const variant = joinView(offer);
  const navigate = useNavigate();
  const isAdmitted = async (): Promise<boolean> => me !== null || ask('join');
  const [keepsCard, setKeepsCard] = useState(false);
  const take = async (product: ProductView | null, { method = 'credit', keeps = false }: Terms = {}) => {
    if (!product || !(await isAdmitted())) return;
    await buying.buy({ product, cardId: null, method, keepsCard: keeps, back: INSIDE });
  };
  const onClose = () => {
    setStep(null);
    if (step?.kind === 'success') void navigate(INSIDE);
  };
  const { busy, problem } = buying;
  const title = t(`web.join.${variant}.title`);
  return (
    <Narrow title={title} heading={<Parted text={title} />} lead={t(`web.join.${variant}.lead`)}>
      <div className="flex flex-col gap-4">
        {variant === 'account' || variant === 'free'
          ? (
            <>
              {offer.cc ? <KeepCard checked={keepsCard} onChange={setKeepsCard} /> : null}
              <Button
                tone="primary"
                wide
                disabled={!offer.cc}
                busy={busy}
                onClick={() => void take(offer.cc, { keeps: keepsCard })}
              >
                {t('web.join.card')}
              </Button>
              <Button
                wide
                disabled={!offer.pp}
                busy={busy}
                onClick={() => void take(offer.pp, { method: 'paypal' })}
              >
                {t('web.join.paypal')}
              </Button>
            </>
          )
          : null}
        {variant === 'welcome_back'
          ? <WelcomeBack products={offer.regular ?? []} busy={busy} onTake={(item) => void take(item)} />
          : null}
        {variant === 'promo'
          ? <Promo offer={offer} busy={busy} onTake={(item, terms) => void take(item, terms)} />
          : null}
        <FormError
          problem={problem && {
            ...problem,
            message: problem.message || t('web.buy.failed'),
          }}
        />
      </div>
      {step
        ? (
          <Suspense fallback={<p role="status" className="text-sm text-muted">{t('web.waiting.text')}</p>}>
            <MoneyDialogs
              key={step.kind}
              step={step}
              wish={NO_OPTIONS}
              admit={isAdmitted}
              go={setStep}
              onClose={onClose}
            />
          </Suspense>
        )
        : null}
    </Narrow>
  );
}

/** Prefers a line break after the dash of a title with two parts. */
const Parted = ({ text }: { text: string }) =>
  text.split(/(?<= [-–]) /u).map((part, at) => (
    <Fragment key={part}>
      {at > 0 ? ' ' : ''}
      <span className="inline-block">{part}</span>
    </Fragment>
  ));

interface WelcomeBackProps {
  readonly products: readonly ProductView[];
  readonly busy: boolean;
  readonly onTake: (product: ProductView | null) => void;
}

/** For members: packs, and a log-out button. */
function WelcomeBack({ products, busy, onTake }: WelcomeBackProps) {
  const { t } = useTranslation('billing');
  const logout = useLogout();
  const [chosen, setChosen] = useState(products[0]?.internal_id ?? null);
  return (
    <>
      <ProductChoice
        label={t('web.buy.products')}
        products={products}
        chosen={chosen}
        low={false}
        onChoose={setChosen}
      />
      <Button
        tone="primary"
        wide
        busy={busy}
        onClick={() => onTake(products.find((product) => product.internal_id === chosen) ?? null)}
      >
        {t('web.join.purchase')}
      </Button>
      <Button tone="quiet" wide busy={logout.busy} onClick={logout.run}>{t('web.join.logout')}</Button>
    </>
  );
}

interface PromoProps {
  readonly offer: Offer;
  readonly busy: boolean;
  readonly onTake: (product: ProductView | null, terms?: Terms) => void;
}

/** Two ways to join: a first pack with a gift, or saving a card at no charge. */
function Promo({ offer, busy, onTake }: PromoProps) {
  const { t } = useTranslation('billing');
  const special = offer.promo?.product ?? null;
  const [choice, setChoice] = useState<'special' | 'pass'>('special');
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">{t('web.join.promo.title')}</legend>
        <Choice
          name="join"
          value="special"
          checked={choice === 'special'}
          onChoose={() => setChoice('special')}
        >
          <span className="font-bold">{t('web.join.promo.special')}</span>
          {special
            ? (
              <span className="flex flex-wrap items-center gap-2 text-muted">
                <TokenAmount tokens={special.tokens} /> <Price amount={special.price} />
                {t('web.join.promo.gift')} <TokenAmount tokens={special.free_tokens} />
              </span>
            )
            : null}
        </Choice>
        <Choice name="join" value="pass" checked={choice === 'pass'} onChoose={() => setChoice('pass')}>
          <span className="font-bold">{t('web.join.promo.pass')}</span>
          <span className="text-muted">{t('web.join.promo.passText')}</span>
        </Choice>
      </fieldset>
      <Button
        tone="primary"
        wide
        busy={busy}
        onClick={() => (choice === 'special' ? onTake(special) : onTake(offer.cc, { keeps: true }))}
      >
        {t('web.join.promo.redeem')}
      </Button>
    </>
  );
}
