import { formatMoney } from '#platform/text/money.ts';
import { useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { Gift, PartyPopper } from 'lucide-react';
import { redeemPromoCode } from '../../client.ts';
import { FREE_TOKENS_CODE } from '../../rules/promos.ts';
import { useBuying } from '../buying.ts';
import { useReloadMoney } from '../live.ts';
import { Price } from '../money.tsx';
import type { ListingOptions, MoneyStep, StepProps } from '../steps.ts';

interface PromoDialogProps extends StepProps {
  readonly step: Extract<MoneyStep, { kind: 'promo' }>;
  /** The advert that brought the person here, or the promotion under test; determines the offer's image. */
  readonly wish: Pick<ListingOptions, 'advertId' | 'promoTest'>;
  /** Asks a guest to log in; returns whether somebody is logged in. */
  readonly admit: () => Promise<boolean>;
}

/** A promotion: tokens, price, and that it can be bought once. It has no countdown. */
export function PromoDialog({ step, go, onClose, admit, wish }: PromoDialogProps) {
  const { t, i18n } = useTranslation('billing');
  const buying = useBuying(go);
  const { product, special } = step;
  const { advertId, promoTest } = wish;
  const site = useRead(getSiteConfig, {
    id: advertId ?? '',
    ...(promoTest === null ? {} : { custom_promo_test: promoTest }),
  });
  const take = async () => {
    if (await admit()) await buying.buy({ product, cardId: null, method: 'credit' });
  };
  return (
    <Dialog
      title={t(special ? 'web.promo.special' : 'web.promo.title')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.promo.no')}</Button>
          <Button
            tone="primary"
            busy={buying.busy}
            onClick={() => void take()}
          >
            {t('web.promo.take', { price: formatMoney(product.price, i18n.language) })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ReadError read={site} />
        {site.data?.promo_offer_img
          ? (
            <img
              src={site.data.promo_offer_img}
              alt=""
              className="max-h-48 w-full rounded-control object-cover"
            />
          )
          : null}
        <div className="flex items-center gap-4 rounded-control bg-raised px-4 py-4">
          <Gift size={28} aria-hidden className="shrink-0 text-accent" />
          <div>
            <p className="flex flex-wrap items-baseline gap-x-3 text-lg font-bold">
              <TokenAmount tokens={product.tokens} /> <Price amount={product.price} />
            </p>
            {product.free_tokens > 0
              ? (
                <p className="flex flex-wrap items-center gap-1 text-success-text">
                  + <TokenAmount tokens={product.free_tokens} /> {t('web.promo.free')}
                </p>
              )
              : null}
          </div>
        </div>
        <p className="text-sm text-muted">{t('web.promo.text')}</p>
        <FormError
          problem={buying.problem && {
            ...buying.problem,
            message: buying.problem.message || t('web.buy.failed'),
          }}
        />
      </div>
    </Dialog>
  );
}

interface FreeTokensProps extends Pick<StepProps, 'onClose'> {
  /** Number of tokens that the free-tokens code gives. */
  readonly tokens: number;
  /** Asks a guest to log in; returns whether somebody is logged in. */
  readonly admit: () => Promise<boolean>;
}

/** Opens for a link with `free_tokens`: offers the free tokens. */
export function FreeTokensDialog({ tokens, admit, onClose }: FreeTokensProps) {
  const { t, i18n } = useTranslation('billing');
  const toast = useToast();
  const reload = useReloadMoney();
  const redeem = useAction(redeemPromoCode);
  const take = async () => {
    if (!(await admit())) return;
    const given = await redeem.run({ code: FREE_TOKENS_CODE });
    if (!given) return;
    await reload();
    const amount = formatCount(given.tokens, i18n.language);
    toast(t('web.promo.redeemed', { count: given.tokens, amount }), 'success');
    onClose();
  };
  return (
    <Dialog
      title={t('web.freeTokens.title')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('web.freeTokens.later')}</Button>
          <Button
            tone="primary"
            busy={redeem.busy}
            onClick={() => void take()}
          >
            {t('web.freeTokens.take')}
          </Button>
        </>
      }
    >
      <div className="flex items-center gap-4">
        <PartyPopper size={28} aria-hidden className="shrink-0 text-accent" />
        <p>
          {t('web.freeTokens.text')} <TokenAmount tokens={tokens} className="font-bold" />
        </p>
      </div>
      <FormError problem={redeem.problem} />
    </Dialog>
  );
}
