import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useState } from 'react';
import { emailUnconfirmed, redeemPromoCode } from '../../client.ts';
import { MAX_PROMO_CODE_LENGTH, MIN_PROMO_CODE_LENGTH } from '../../rules.ts';
import { firstPromoCode } from '../../rules/prompts.ts';
import { useReloadMoney } from '../live.ts';

/** Loaded on demand. */
const EmailDialog = lazy(() => import('#product/accounts/web/email/email-dialog.tsx'));

const FIELD_OF = { promo_code_unknown: 'code', promo_code_used: 'code' } as const;

/** A promo code: required, 3 to 40 characters, prefilled from the link. */
export function PromoCodeForm({ promo }: { promo: string | null }) {
  const { t, i18n } = useTranslation('billing');
  const toast = useToast();
  const reload = useReloadMoney();
  const [asking, setAsking] = useState(false);
  const form = useForm(redeemPromoCode, {
    shape: async () => (await import('../../contract/promos.ts')).redeemPromoCode,
    read: (fields) => ({ code: textOf(fields, 'code').trim() }),
    fieldOf: FIELD_OF,
    onRefused: (problem) => {
      if (problem.errorType === emailUnconfirmed.code) setAsking(true);
      return problem;
    },
    onDone: async ({ tokens }) => {
      await reload();
      const amount = formatCount(tokens, i18n.language);
      toast(t('web.promo.redeemed', { count: tokens, amount }), 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <div className="w-80 max-w-full">
          <TextField
            {...form.field('code')}
            label={t('web.promo.code')}
            required
            minLength={MIN_PROMO_CODE_LENGTH}
            maxLength={MAX_PROMO_CODE_LENGTH}
            defaultValue={firstPromoCode(promo)}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
          />
        </div>
        <div className="sm:pt-6">
          <Button type="submit" busy={form.busy}>{t('web.promo.redeem')}</Button>
        </div>
      </div>
      <FormError problem={form.problem} />
      {asking
        ? (
          <Suspense>
            <EmailDialog onClose={() => setAsking(false)} />
          </Suspense>
        )
        : null}
    </form>
  );
}
