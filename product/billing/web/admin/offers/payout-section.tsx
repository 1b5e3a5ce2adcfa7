import type { OutputOf } from '#platform/contract/call.ts';
import { decimalOf, formatMoney } from '#platform/text/money.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { changeMoneyRules, getMoneyRules } from '#product/ledger/client.ts';
import { MAX_PAYOUT_CENTS } from '#product/ledger/rules.ts';
import { ReasonField, reasonOf } from '../reason.tsx';
import { useSaved } from '../reload.ts';
import { minorTyped } from '../typed.ts';

/** The payout of a token, the marketing cap, and the cap on a performer's earnings from free tokens. */
export function PayoutSection() {
  const { t } = useTranslation('billing');
  const read = useRead(getMoneyRules, {});
  return (
    <Section anchor="payout" title={t('web.operator.payout.title')} lead={t('web.operator.payout.lead')}>
      <Loaded read={read} height="h-32">
        {(rules) => <PayoutForm key={JSON.stringify(rules)} rules={rules} />}
      </Loaded>
    </Section>
  );
}

function PayoutForm({ rules }: { rules: OutputOf<typeof getMoneyRules> }) {
  const { t, i18n } = useTranslation('billing');
  const saved = useSaved();
  const form = useForm(changeMoneyRules, {
    shape: async () => (await import('#product/ledger/contract.ts')).changeMoneyRules,
    read: (fields) => ({
      payout_cents: Number(textOf(fields, 'payout_cents')),
      marketing_cap_cents: minorTyped(fields, 'marketing_cap_cents', 'USD'),
      performer_cap_cents: minorTyped(fields, 'performer_cap_cents', 'USD'),
      reason: reasonOf(fields),
    }),
    words: { marketing_cap_cents: t('ui:issues.amount'), performer_cap_cents: t('ui:issues.amount') },
    fieldOf: { tokens_uncovered: 'payout_cents' },
    onDone: saved,
  });
  const booked = formatMoney({ minor: rules.marketing_booked_cents, currency: 'USD' }, i18n.language);
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...form.field('payout_cents')}
          label={t('web.operator.payout.cents')}
          required
          type="number"
          min={0}
          max={MAX_PAYOUT_CENTS}
          hint={t('web.operator.payout.centsHint')}
          defaultValue={rules.payout_cents}
        />
        <TextField
          {...form.field('marketing_cap_cents')}
          label={t('web.operator.payout.cap')}
          required
          inputMode="decimal"
          hint={t('web.operator.payout.capHint', { booked })}
          autoComplete="off"
          defaultValue={decimalOf({ minor: rules.marketing_cap_cents, currency: 'USD' })}
        />
        <TextField
          {...form.field('performer_cap_cents')}
          label={t('web.operator.payout.performerCap')}
          required
          inputMode="decimal"
          hint={t('web.operator.payout.performerCapHint')}
          autoComplete="off"
          defaultValue={decimalOf({ minor: rules.performer_cap_cents, currency: 'USD' })}
        />
      </div>
      <ReasonField field={form.field('reason')} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('web.operator.save')}</Button>
      </div>
    </form>
  );
}
