import type { OutputOf } from '#platform/contract/call.ts';
import { decimalOf } from '#platform/text/money.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { changeBillingRules, getBillingRules } from '../../../client.ts';
import { MAX_GIFTS_PER_PLACE, MAX_POSTPAY_TOKENS, MAX_SIGN_UP_TOKENS } from '../../../rules.ts';
import { billerText } from '../../money.tsx';
import { ReasonField, reasonOf } from '../reason.tsx';
import { useSaved } from '../reload.ts';
import { countriesTyped, minorTyped } from '../typed.ts';

/** Switches and limits of billing. */
export function RulesSection() {
  const { t } = useTranslation('billing');
  const read = useRead(getBillingRules, {});
  return (
    <Section anchor="rules" title={t('web.operator.rules.title')} lead={t('web.operator.rules.lead')}>
      <Loaded read={read} height="h-64">
        {(rules) => <RulesForm key={JSON.stringify(rules)} rules={rules} />}
      </Loaded>
    </Section>
  );
}

type Rules = OutputOf<typeof getBillingRules>;

function RulesForm({ rules }: { rules: Rules }) {
  const { t } = useTranslation('billing');
  const saved = useSaved();
  const form = useForm(changeBillingRules, {
    shape: async () => (await import('../../../contract/operator.ts')).changeBillingRules,
    read: (fields) => ({
      switches: rules.switches.map(({ name }) => ({ name, on: fields.get(`switch_${name}`) === 'on' })),
      daily_limit_cents: minorTyped(fields, 'daily_limit_cents', 'USD'),
      postpay_tokens: Number(textOf(fields, 'postpay_tokens')),
      gifts_per_address: Number(textOf(fields, 'gifts_per_address')),
      gifts_per_device: Number(textOf(fields, 'gifts_per_device')),
      sign_up_tokens: Number(textOf(fields, 'sign_up_tokens')),
      wheel_blocked_countries: countriesTyped(fields, 'wheel_blocked_countries'),
      purchase_blocked_countries: countriesTyped(fields, 'purchase_blocked_countries'),
      framed_billers: rules.billers.map(({ name }) => name)
        .filter((name) => fields.get(`frame_${name}`) === 'on'),
      reason: reasonOf(fields),
    }),
    words: { daily_limit_cents: t('ui:issues.amount') },
    onDone: saved,
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <fieldset>
        <legend className="mb-1 text-sm font-medium">{t('web.operator.rules.switches')}</legend>
        <div className="grid gap-x-6 sm:grid-cols-2">
          {rules.switches.map(({ name, on }) => (
            <Checkbox
              key={name}
              name={`switch_${name}`}
              defaultChecked={on}
              label={t(`web.operator.switch.${name}`)}
            />
          ))}
        </div>
      </fieldset>
      <Frames billers={rules.billers} />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          {...form.field('daily_limit_cents')}
          label={t('web.operator.rules.daily')}
          required
          inputMode="decimal"
          hint={t('web.operator.rules.dailyHint')}
          autoComplete="off"
          defaultValue={decimalOf({ minor: rules.daily_limit_cents, currency: 'USD' })}
        />
        <TextField
          {...form.field('postpay_tokens')}
          label={t('web.operator.rules.postpay')}
          required
          type="number"
          min={0}
          max={MAX_POSTPAY_TOKENS}
          defaultValue={rules.postpay_tokens}
        />
        <GiftFields field={form.field} rules={rules} />
        <TextField
          {...form.field('wheel_blocked_countries')}
          label={t('web.operator.rules.wheel')}
          hint={t('web.operator.product.codesHint')}
          autoComplete="off"
          defaultValue={rules.wheel_blocked_countries.join(' ')}
        />
        <TextField
          {...form.field('purchase_blocked_countries')}
          label={t('web.operator.rules.noPurchase')}
          hint={t('web.operator.product.codesHint')}
          autoComplete="off"
          defaultValue={rules.purchase_blocked_countries.join(' ')}
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

/** How many gifts an address and a device get, and what a new account starts with. */
function GiftFields({ field, rules }: {
  readonly field: ReturnType<typeof useForm<typeof changeBillingRules>>['field'];
  readonly rules: Rules;
}) {
  const { t } = useTranslation('billing');
  return (
    <>
      <TextField
        {...field('gifts_per_address')}
        label={t('web.operator.rules.giftsPerAddress')}
        required
        type="number"
        min={0}
        max={MAX_GIFTS_PER_PLACE}
        defaultValue={rules.gifts_per_address}
      />
      <TextField
        {...field('gifts_per_device')}
        label={t('web.operator.rules.giftsPerDevice')}
        required
        type="number"
        min={0}
        max={MAX_GIFTS_PER_PLACE}
        defaultValue={rules.gifts_per_device}
      />
      <TextField
        {...field('sign_up_tokens')}
        label={t('web.operator.rules.signUp')}
        required
        type="number"
        min={0}
        max={MAX_SIGN_UP_TOKENS}
        hint={t('web.operator.rules.signUpHint')}
        defaultValue={rules.sign_up_tokens}
      />
    </>
  );
}

/** Billers whose pages open in a frame. Only accounts that allow it can be chosen. */
function Frames({ billers }: Pick<Rules, 'billers'>) {
  const { t } = useTranslation('billing');
  if (billers.length === 0) return null;
  return (
    <fieldset>
      <legend className="text-sm font-medium">{t('web.operator.rules.frames')}</legend>
      <p className="mb-1 text-xs text-muted">{t('web.operator.rules.framesHint')}</p>
      <div className="grid gap-x-6 sm:grid-cols-2">
        {billers.map(({ name, can_frame: can, framed }) => (
          <Checkbox
            key={name}
            name={`frame_${name}`}
            defaultChecked={can && framed}
            disabled={!can}
            label={can ? billerText(name) : (
              <span className="text-muted">
                {t('web.operator.rules.noFrame', { biller: billerText(name) })}
              </span>
            )}
          />
        ))}
      </div>
    </fieldset>
  );
}
