import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { decimalOf, formatMoney } from '#platform/text/money.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm, type Form } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { MEMBERSHIPS, type Membership } from '#product/accounts/rules/current-user.ts';
import { useState } from 'react';
import { changeProduct, createProduct } from '../../../client.ts';
import type { listManagedProducts, ManagedProductView } from '../../../contract/operator.ts';
import { costOf } from '../../../rules/product-cost.ts';
import {
  MAX_MEMBERSHIP_DAYS,
  MAX_PRODUCT_TOKENS,
  PRODUCT_KINDS,
  type ProductKind,
} from '../../../rules/products.ts';
import { Price } from '../../money.tsx';
import { ReasonField, reasonOf } from '../reason.tsx';
import { useSaved } from '../reload.ts';
import { countriesTyped, minorTyped } from '../typed.ts';

interface ProductDialogProps {
  /** The product to edit; null for a new one. */
  readonly product: ManagedProductView | null;
  readonly answer: OutputOf<typeof listManagedProducts>;
  readonly onClose: () => void;
}

/** The field of each refusal. */
const FIELD_OF = {
  product_taken: 'internal_id',
  currency_unknown: 'currency',
  price_below_payout: 'price_minor',
} as const;
const KIND = 'pack';
/** Default length of a membership. */
const USUAL_DAYS = '30';

const isMembership = (kind: ProductKind): boolean => kind === 'membership' || kind === 'winback';
const isLevel = (name: string): name is Membership => (MEMBERSHIPS as readonly string[]).includes(name);
const whole = (fields: FormData, name: string): number => Number(textOf(fields, name));
/** The form's values as the call's input; the call refuses a wrong price. */
const changeableOf = (fields: FormData) => {
  const currency = textOf(fields, 'currency');
  const days = textOf(fields, 'days');
  return {
    tokens: whole(fields, 'tokens'),
    free_tokens: whole(fields, 'free_tokens'),
    currency,
    price_minor: minorTyped(fields, 'price_minor', currency),
    days: days === '' ? null : Number(days),
    one_click: fields.get('one_click') === 'on',
    countries: countriesTyped(fields, 'countries'),
    reason: reasonOf(fields),
  };
};

/** Creates or edits a product, and shows what each sale costs before it is saved. */
export function ProductDialog({ product, answer, onClose }: ProductDialogProps) {
  const { t } = useTranslation('billing');
  const saved = useSaved();
  const [kind, setKind] = useState<ProductKind>(product?.kind ?? KIND);
  const [cost, setCost] = useState(product?.marketing_cents ?? 0);
  const rates = Object.fromEntries(answer.rates.map(({ currency, cents }) => [currency, cents]));
  const weigh = (fields: FormData) => {
    const { tokens, free_tokens: freeTokens, price_minor: priceMinor, currency } = changeableOf(fields);
    setCost(
      costOf({ tokens, freeTokens, priceMinor, currency }, rates, answer.token_payout_cents)
        .marketingCents,
    );
  };
  const form = useForm(product ? changeProduct : createProduct, {
    shape: async () => {
      const operator = await import('../../../contract/operator.ts');
      return product ? operator.changeProduct : operator.createProduct;
    },
    words: { price_minor: t('ui:issues.amount') },
    read: (fields): InputOf<typeof changeProduct> | InputOf<typeof createProduct> => {
      const membership = textOf(fields, 'membership');
      const accepted = fields.get('accepted') === 'on' ? { accepted_cost_cents: cost } : {};
      return product
        ? {
          ...changeableOf(fields),
          ...accepted,
          internal_id: product.internal_id,
          revision: product.revision,
        }
        : {
          ...changeableOf(fields),
          ...accepted,
          kind,
          internal_id: textOf(fields, 'internal_id'),
          membership: isMembership(kind) && isLevel(membership) ? membership : null,
        };
    },
    fieldOf: FIELD_OF,
    onDone: async () => {
      await saved();
      onClose();
    },
  });
  const id = 'operator-product';
  return (
    <Dialog
      size="large"
      onClose={onClose}
      title={product
        ? t('web.operator.product.editTitle', { name: product.internal_id })
        : t('web.operator.product.new')}
      actions={
        <>
          <Button onClick={onClose}>{t('web.operator.cancel')}</Button>
          <Button type="submit" form={id} tone="primary" busy={form.busy}>{t('web.operator.save')}</Button>
        </>
      }
    >
      <form id={id} {...form.props} className="flex flex-col gap-4" onInput={() => weigh(form.fields())}>
        {product
          ? <p className="text-sm text-muted">{t('web.operator.product.editText')}</p>
          : <Identity kind={kind} onKind={setKind} field={form.field('internal_id')} />}
        <Parts product={product} kind={kind} answer={answer} form={form} />
        <Cost cents={cost} answer={answer} />
        <ReasonField field={form.field('reason')} />
        <FormError problem={form.problem} />
      </form>
    </Dialog>
  );
}

/** The fields of a product that never change. */
function Identity({ kind, onKind, field }: {
  readonly kind: ProductKind;
  readonly onKind: (kind: ProductKind) => void;
  readonly field: ReturnType<Form['field']>;
}) {
  const { t } = useTranslation('billing');
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select
        label={t('web.operator.product.kind')}
        value={kind}
        options={PRODUCT_KINDS.map((value) => ({ value, text: t(`web.operator.kind.${value}`) }))}
        onChange={({ target }) => onKind(PRODUCT_KINDS.find((text) => text === target.value) ?? KIND)}
      />
      <TextField
        {...field}
        label={t('web.operator.product.id')}
        required
        maxLength={64}
        hint={t(isMembership(kind) ? 'web.operator.product.idMembership' : 'web.operator.product.idHint')}
        defaultValue={isMembership(kind) ? 'membership_' : ''}
        key={String(isMembership(kind))}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {isMembership(kind)
        ? (
          <Select
            name="membership"
            label={t('web.membership.section')}
            options={MEMBERSHIPS.map((value) => ({ value, text: t(`web.membership.level.${value}`) }))}
          />
        )
        : null}
    </div>
  );
}

function Parts({ product, kind, answer, form }: {
  readonly product: ManagedProductView | null;
  readonly kind: ProductKind;
  readonly answer: ProductDialogProps['answer'];
  readonly form: Form;
}) {
  const { t } = useTranslation('billing');
  const { price } = product ?? { price: { minor: 0, currency: 'USD' } };
  const typed = product ? decimalOf(price) : '';
  const count = { type: 'number', min: 0, max: MAX_PRODUCT_TOKENS, required: true } as const;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...form.field('tokens')}
          label={t('web.operator.product.tokens')}
          {...count}
          defaultValue={product?.tokens ?? ''}
        />
        <TextField
          {...form.field('free_tokens')}
          label={t('web.operator.product.free')}
          {...count}
          defaultValue={product?.free_tokens ?? 0}
        />
        <TextField
          {...form.field('price_minor')}
          label={t('web.orders.price')}
          required
          inputMode="decimal"
          autoComplete="off"
          defaultValue={typed}
        />
        <Select
          {...form.field('currency')}
          label={t('web.operator.product.currency')}
          defaultValue={price.currency}
          options={answer.rates.map(({ currency }) => ({ value: currency, text: currency }))}
        />
        {isMembership(kind)
          ? (
            <TextField
              {...form.field('days')}
              type="number"
              min={1}
              max={MAX_MEMBERSHIP_DAYS}
              required
              label={t('web.operator.product.days')}
              defaultValue={product?.days ?? USUAL_DAYS}
            />
          )
          : null}
      </div>
      <TextField
        {...form.field('countries')}
        label={t('web.operator.product.countries')}
        autoComplete="off"
        hint={t('web.operator.product.countriesHint')}
        defaultValue={product?.countries.join(' ') ?? ''}
      />
      <Checkbox
        name="one_click"
        label={t('web.operator.product.oneClick')}
        defaultChecked={product?.one_click ?? true}
      />
    </>
  );
}

/** The marketing cost of each sale, to accept when there is any. */
function Cost({ cents, answer }: { cents: number; answer: ProductDialogProps['answer'] }) {
  const { t, i18n } = useTranslation('billing');
  const amount = { minor: cents, currency: 'USD' };
  const payout = formatMoney({ minor: answer.token_payout_cents, currency: 'USD' }, i18n.language);
  return (
    <div role="status" className="rounded-control bg-raised px-4 py-3 text-sm">
      <p>
        {t('web.operator.product.costs')}{' '}
        <Price amount={amount} className={cents > 0 ? 'font-bold text-warning-text' : 'font-bold'} />
      </p>
      <p className="text-xs text-muted">{t('web.operator.product.costHint', { payout })}</p>
      {cents > 0
        ? (
          <Checkbox
            name="accepted"
            required
            label={t('web.operator.product.accept', { amount: formatMoney(amount, i18n.language) })}
          />
        )
        : null}
    </div>
  );
}
