import { Button } from '#platform/ui/controls/button.tsx';
import { keepDigits, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ShownValue } from '#product/ledger/web/values.tsx';
import { useState } from 'react';
import { startSplit } from '../../client.ts';
import { isTipAmount } from '../../rules.ts';
import { MAX_SPLITTERS, MIN_SPLITTERS, sharesOf } from '../../rules/split.ts';
import { useTipRefusal, type TipTarget } from '../tip-panel.tsx';

/** Initial total of the form: shown as $10, among a few people. */
const USUAL_TOKENS = 100;
const USUAL_PEOPLE = 4;

/** The field that makes a split impossible; null if it is possible. */
function wrongField(amount: number, people: number): 'amount' | 'people' | null {
  if (!isTipAmount(amount)) return 'amount';
  if (people < MIN_SPLITTERS || people > MAX_SPLITTERS) return 'people';
  return sharesOf(amount, people) ? null : 'amount';
}

/** The form to propose a split. @param pays the proposer is also the first payer; the performer is not */
export function SplitProposal({ target, pays }: { target: TipTarget; pays: boolean }) {
  const { t } = useTranslation('tips');
  const { username, guest, onLogin } = target;
  const [amount, setAmount] = useState(String(USUAL_TOKENS));
  const [people, setPeople] = useState(String(USUAL_PEOPLE));
  const range = t('split.range');
  const form = useForm(startSplit, {
    shape: async () => (await import('../../contract/splits.ts')).startSplit,
    mayStart: () => {
      if (guest) onLogin();
      return !guest;
    },
    read: (fields) => ({
      username,
      amount: Number(textOf(fields, 'amount')),
      people: Number(textOf(fields, 'people')),
    }),
    check: (split): Readonly<Record<string, string>> => {
      const name = wrongField(split.amount, split.people);
      return name ? { [name]: range } : {};
    },
    onRefused: useTipRefusal(target),
    // Everybody, including the proposer, sees the result by event.
    onDone: () => undefined,
  });
  const wrong = wrongField(Number(amount), Number(people));
  const fields = { amount: form.field('amount'), people: form.field('people') };
  return (
    <form {...form.props} aria-label={t('split.title')} className="flex flex-col gap-3">
      <p className="text-sm text-muted">{t('split.lead')}</p>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          {...fields.amount}
          label={t('split.amount')}
          inputMode="numeric"
          autoComplete="off"
          value={amount}
          error={wrong === 'amount' ? range : undefined}
          onInput={keepDigits}
          onChange={(change) => {
            setAmount(change.target.value);
            fields.amount.onChange(change);
          }}
        />
        <TextField
          {...fields.people}
          label={t('split.people')}
          inputMode="numeric"
          autoComplete="off"
          value={people}
          error={wrong === 'people' ? range : undefined}
          onInput={keepDigits}
          onChange={(change) => {
            setPeople(change.target.value);
            fields.people.onChange(change);
          }}
        />
      </div>
      {wrong ? null : <Shares amount={Number(amount)} people={Number(people)} pays={pays} />}
      <FormError problem={form.problem} />
      <Button type="submit" wide busy={form.busy}>{t('split.propose')}</Button>
    </form>
  );
}

/** What each person would pay. */
function Shares({ amount, people, pays }: { amount: number; people: number; pays: boolean }) {
  const { t, i18n } = useTranslation('tips');
  const shares = sharesOf(amount, people);
  if (!shares) return null;
  const isEven = !pays || shares.share === shares.first;
  return (
    <p className="text-sm text-muted">
      {t(isEven ? 'split.each' : 'split.uneven', {
        count: shares.share,
        share: formatCount(shares.share, i18n.language),
        first: formatCount(shares.first, i18n.language),
      })} (<ShownValue tokens={isEven ? shares.share : shares.first} />)
    </p>
  );
}
