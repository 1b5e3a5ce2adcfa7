import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField, type Option } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { countriesIn, optionOf, subdivisionsOf } from '#product/site/rules/places.ts';
import { useEffect, useRef, useState, type FormEvent, type HTMLInputAutoCompleteAttribute } from 'react';
import { CARD_FIELDS, LIMITS, type CardField } from '../../rules/card-form.ts';
import { BirthField } from './birth-field.tsx';
import { PurchaseField } from './purchase-field.tsx';
import type { CardToken } from './token-service.ts';
import type { CardCheck } from './use-card-check.ts';

type TextName = Exclude<CardField, 'birth_date' | 'do_purchase' | 'country' | 'province'>;

/** States and provinces as options, by the two letters that cards' addresses have. */
const regionsOf = (country: string): readonly Option[] =>
  subdivisionsOf(country).map(({ code, name }) => ({ value: code.slice(-2), text: name }));

/**
 * The card form. Its fields have no names, so that no browser can submit them; `autocomplete` describes them
 * to browsers and password managers (HTML, autofill).
 */
export function CardFields({ check, token }: { readonly check: CardCheck; readonly token: CardToken }) {
  const { t, i18n } = useTranslation('age-checks');
  const ref = useRef<HTMLFormElement>(null);
  // The server and the browser may name countries differently; the browser's names are used.
  const [countries, setCountries] = useState<readonly Option[]>([]);
  useEffect(() => setCountries(countriesIn(i18n.language).map(optionOf)), [i18n.language]);
  const { entry, faults, set } = check;
  const errorOf = (field: CardField): string | undefined => {
    const fault = faults[field];
    // Month and year have one message.
    if (!fault || (field === 'expiration_year' && faults.expiration_month)) return undefined;
    return fault === 'required' ? t(`web.card.required.${field}`) : t(`web.card.wrong.${field}`);
  };
  const text = (
    field: TextName,
    autoComplete: HTMLInputAutoCompleteAttribute,
    inputMode?: 'numeric' | 'email',
  ) => (
    <TextField
      label={t(`web.card.label.${field}`)}
      value={entry[field]}
      autoComplete={autoComplete}
      inputMode={inputMode}
      maxLength={LIMITS[field]}
      error={errorOf(field)}
      data-field={field}
      onChange={({ target }) => set(field, target.value)}
    />
  );
  const list = (
    field: 'country' | 'state' | 'province',
    options: readonly Option[],
    autoComplete: HTMLInputAutoCompleteAttribute,
  ) => (
    <Select
      label={t(`web.card.label.${field}`)}
      value={entry[field]}
      autoComplete={autoComplete}
      placeholder={t('web.card.choose')}
      options={options}
      error={errorOf(field)}
      data-field={field}
      onChange={({ target }) => set(field, target.value)}
    />
  );
  const onSubmit = (submit: FormEvent) => {
    submit.preventDefault();
    if (check.busy) return;
    void check.send().then((refused) => {
      const first = CARD_FIELDS.find((field) => refused[field]);
      ref.current?.querySelector<HTMLElement>(`[data-field="${first}"]`)?.focus();
    });
  };
  const region = entry.country === 'CA'
    ? list('province', regionsOf('CA'), 'billing address-level1')
    : entry.country === 'US'
    ? list('state', regionsOf('US'), 'billing address-level1')
    : text('state', 'billing address-level1');
  return (
    <form ref={ref} noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      {text('card_number', 'cc-number', 'numeric')}
      <div className="grid grid-cols-3 gap-3">
        {text('expiration_month', 'cc-exp-month', 'numeric')}
        {text('expiration_year', 'cc-exp-year', 'numeric')}
        {text('cvc', 'cc-csc', 'numeric')}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        {text('first_name', 'cc-given-name')}
        {text('last_name', 'cc-family-name')}
      </div>
      <BirthField chosen={check.birth} error={errorOf('birth_date')} onChoose={check.setBirth} />
      {token.needs_email ? text('email', 'email', 'email') : null}
      {list('country', countries, 'billing country')}
      {text('address', 'billing address-line1')}
      <div className="grid gap-4 sm:grid-cols-3">
        {text('city', 'billing address-level2')}
        {region}
        {text('zip', 'billing postal-code')}
      </div>
      <PurchaseField
        offer={token.offer}
        chosen={entry.do_purchase}
        error={errorOf('do_purchase')}
        onChoose={(choice) => set('do_purchase', choice)}
      />
      <div role="alert" className="empty:hidden">
        {check.trouble
          ? (
            <p className="rounded-control border border-danger bg-raised px-3 py-2 text-sm">
              {t(`web.card.${check.trouble}`)}
            </p>
          )
          : null}
      </div>
      <Button type="submit" tone="primary" wide busy={check.busy}>
        {t(entry.do_purchase === '1' ? 'web.card.buy' : 'web.card.verify')}
      </Button>
    </form>
  );
}
