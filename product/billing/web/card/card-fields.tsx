import type { KeyOf } from '#platform/text/message-keys.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Select, TextField, type Option } from '#platform/ui/controls/fields.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { countriesIn, optionOf } from '#product/site/rules/places.ts';
import { useEffect, useRef, useState, type FormEvent, type HTMLInputAutoCompleteAttribute } from 'react';
import { addCard } from '../../client.ts';
import { cardDigits, isCardNumber, isExpiryGood, isSecurityCode } from '../../rules/payments/card-number.ts';
import { takeDestination } from '../destination.ts';
import { sendCard, type CardField, type CardForm, type TypedCard } from './token-service.ts';

/** Groups a card number in fours, as on the card. */
const grouped = (typed: string): string =>
  cardDigits(typed).replaceAll(/\D/gu, '').slice(0, 19)
    .replaceAll(/(.{4})(?=.)/gu, '$1 ');
/** Adds the slash after the month. */
const slashed = (typed: string): string => {
  const digits = typed.replaceAll(/\D/gu, '').slice(0, 4);
  return digits.length > 2 ? `${digits.slice(0, 2)}/${digits.slice(2)}` : digits;
};

/** Fields with invalid values. */
function faultsOf(card: TypedCard, now: Date): readonly CardField[] {
  const faults: readonly (readonly [CardField, boolean])[] = [
    ['number', !isCardNumber(card.number)],
    ['expiry', !isExpiryGood(card.expiry, now)],
    ['code', !isSecurityCode(card.code)],
    ['name', card.name.trim() === ''],
    ['country', card.country === ''],
    ['state', (card.country === 'US' || card.country === 'CA') && !/^[a-z]{2}$/iu.test(card.state.trim())],
    ['postalCode', card.postalCode.trim() === ''],
    ['email', card.email !== null && !/^\S+@\S+\.\S+$/u.test(card.email)],
  ];
  return faults.flatMap(([field, wrong]) => (wrong ? [field] : []));
}

/** The form's state, its errors, and submitting it. */
function useCardFields(form: CardForm) {
  const me = useMe();
  const clock = useServerClock();
  const [card, setCard] = useState<TypedCard>(() => ({
    number: '',
    expiry: '',
    code: '',
    name: '',
    country: me?.user.geo.isoCode ?? '',
    state: '',
    postalCode: '',
    email: me?.user.email ? null : '',
  }));
  const [wrong, setWrong] = useState<readonly CardField[]>([]);
  const [failure, setFailure] = useState<'expired' | 'failed' | null>(null);
  const [busy, setBusy] = useState(false);
  const keep = useAction(addCard);
  const set = (field: CardField, value: string) => {
    setCard((known) => ({ ...known, [field]: value }));
    setWrong((known) => known.filter((text) => text !== field));
  };
  const send = async (): Promise<readonly CardField[]> => {
    const faults = faultsOf(card, new Date(clock.now()));
    setWrong(faults);
    setFailure(null);
    if (faults.length > 0) return faults;
    setBusy(true);
    const answer = await sendCard(form, card, (...args) => fetch(...args));
    if (answer.kind === 'token') {
      const saved = await keep.run({ biller: form.biller, token: answer.token });
      // Deletes the number from this page before anything else runs.
      setCard((known) => ({ ...known, number: '', code: '' }));
      if (saved) location.assign(takeDestination() ?? '/account/tokens#cards');
    } else if (answer.kind === 'wrong') setWrong(answer.fields);
    else setFailure(answer.kind);
    setBusy(false);
    return answer.kind === 'wrong' ? answer.fields : [];
  };
  return { card, wrong, failure, busy: busy || keep.busy, problem: keep.problem, set, send };
}

/**
 * The card form. Its fields have no names, so that no browser can submit them; `autocomplete` describes them
 * to browsers and password managers (HTML, autofill).
 */
export function CardFields({ form }: { form: CardForm }) {
  const { t, i18n } = useTranslation('billing');
  const ref = useRef<HTMLFormElement>(null);
  const fields = useCardFields(form);
  // The server and the browser may name countries differently; the browser's names are used.
  const [countries, setCountries] = useState<readonly Option[]>([]);
  useEffect(() => setCountries(countriesIn(i18n.language).map(optionOf)), [i18n.language]);
  const { card, wrong } = fields;
  const errorOf = (field: CardField) => (wrong.includes(field)
    ? t(`web.cardForm.wrong.${field}`)
    : undefined);
  const text = (
    field: Exclude<CardField, 'country'>,
    autoComplete: HTMLInputAutoCompleteAttribute,
    more: { inputMode?: 'numeric' | 'email'; maxLength?: number; shape?: (typed: string) => string } = {},
  ) => (
    <TextField
      label={t(labelOf(field, card.country))}
      value={card[field] ?? ''}
      autoComplete={autoComplete}
      inputMode={more.inputMode}
      maxLength={more.maxLength ?? 64}
      error={errorOf(field)}
      data-field={field}
      onChange={({ target }) => fields.set(field, more.shape ? more.shape(target.value) : target.value)}
    />
  );
  const onSubmit = (submit: FormEvent) => {
    submit.preventDefault();
    if (fields.busy) return;
    void fields.send().then(([first]) => {
      ref.current?.querySelector<HTMLElement>(`[data-field="${first}"]`)?.focus();
    });
  };
  return (
    <form ref={ref} noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      {text('number', 'cc-number', { inputMode: 'numeric', maxLength: 23, shape: grouped })}
      <div className="grid grid-cols-2 gap-4">
        {text('expiry', 'cc-exp', { inputMode: 'numeric', maxLength: 5, shape: slashed })}
        {text('code', 'cc-csc', { inputMode: 'numeric', maxLength: 4 })}
      </div>
      {text('name', 'cc-name')}
      <Select
        label={t('web.cardForm.country')}
        value={card.country}
        autoComplete="billing country"
        placeholder={t('web.cardForm.choose')}
        options={countries}
        error={errorOf('country')}
        data-field="country"
        onChange={({ target }) => fields.set('country', target.value)}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        {text('state', 'billing address-level1')}
        {text('postalCode', 'billing postal-code', { maxLength: 16 })}
      </div>
      {card.email === null ? null : text('email', 'email', { inputMode: 'email', maxLength: 254 })}
      <div role="alert" className="empty:hidden">
        {fields.failure
          ? (
            <p className="rounded-control border border-danger bg-raised px-3 py-2 text-sm">
              {t(`web.cardForm.${fields.failure}`)}
            </p>
          )
          : null}
      </div>
      <FormError problem={fields.problem} />
      <Button type="submit" tone="primary" wide busy={fields.busy}>{t('web.cardForm.save')}</Button>
      <ButtonLink to="/account/tokens" reloadDocument tone="quiet" wide>{t('web.cardForm.back')}</ButtonLink>
    </form>
  );
}

/** A state in the US, a province in Canada, an optional region elsewhere. */
function labelOf(field: CardField, country: string): KeyOf<'billing'> {
  if (field !== 'state') return `web.cardForm.${field}`;
  return country === 'US' ? 'web.cardForm.state' : country === 'CA'
    ? 'web.cardForm.province'
    : 'web.cardForm.region';
}
