import { formatMoney } from '#platform/text/money.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, keepDigits, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields, type FormField } from '#platform/ui/forms/form.ts';
import { TokenAmount, TokenGlyph } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { shownCents } from '#product/ledger/rules/shown.ts';
import { useState, type InputHTMLAttributes } from 'react';
import { isTipAmount, MAX_TIP_COMMENT_LENGTH, QUICK_TIP_TOKENS } from '../rules.ts';
import type { Tip } from './send-tip.ts';
import {
  firstAmount,
  TipProblem,
  useAmountRange,
  useSendText,
  useSendTip,
  type TipTarget,
} from './tip-panel.tsx';

/**
 * The form of a tip. Its rules check everything that the call's shape would, so that the first tip does not
 * wait for a shape to load.
 */
function useTipForm(target: TipTarget) {
  const { username, guest, onLogin } = target;
  const { send, problem } = useSendTip(target);
  const range = useAmountRange();
  const form = useFields<Tip>({
    mayStart: () => {
      if (guest) onLogin();
      return !guest;
    },
    read: (fields) => ({
      username,
      amount: Number(textOf(fields, 'amount')),
      comment: textOf(fields, 'comment').trim(),
      anonymous: fields.has('anonymous'),
      item: null,
    }),
    check: ({ amount }): Readonly<Record<string, string>> => (isTipAmount(amount) ? {} : { amount: range }),
    onSubmit: async (tip) => {
      if (await send(tip)) clearComment(form.props.ref.current, tip.comment);
    },
  });
  return { form, problem };
}

/** Clears the comment that was sent; one typed since then stays. */
function clearComment(form: HTMLFormElement | null, sent: string): void {
  const field = form?.elements.namedItem('comment');
  if (field instanceof HTMLInputElement && field.value.trim() === sent) field.value = '';
}

/** Choosing an amount and tipping it. Typed values stay until the tip succeeds. */
export default function TipPanel({ begins, ...target }: TipTarget & {
  /** The amount typed in the bar; null for none. */
  readonly begins: string | null;
}) {
  const { displayName, guest, balance } = target;
  const { t } = useTranslation('tips');
  const { form, problem } = useTipForm(target);
  const [amount, setAmount] = useState(begins ?? firstAmount());
  const text = useSendText(amount);
  return (
    <form {...form.props} aria-label={t('title', { name: displayName })} className="flex flex-col gap-4">
      <AmountChoice field={form.field('amount')} amount={amount} onChange={setAmount} />
      <TextField
        {...form.field('comment')}
        label={t('comment')}
        maxLength={MAX_TIP_COMMENT_LENGTH}
        autoComplete="off"
      />
      <Anonymous name="anonymous" />
      <TipProblem problem={problem} />
      <Button type="submit" tone="primary" wide busy={form.busy} icon={<TokenGlyph />}>{text}</Button>
      {guest ? null : (
        <p className="text-center text-sm text-muted">
          {t('balance')} <TokenAmount tokens={balance} />
        </p>
      )}
    </form>
  );
}

/** The choice to tip anonymously. */
export function Anonymous(
  attributes: Pick<InputHTMLAttributes<HTMLInputElement>, 'name' | 'checked' | 'onChange'>,
) {
  const { t } = useTranslation('tips');
  return (
    <Checkbox
      {...attributes}
      label={
        <>
          {t('anonymous')}
          <span className="block text-xs text-muted">{t('anonymousHint')}</span>
        </>
      }
    />
  );
}

/** Amounts for one click, and a free choice; with its value in money. */
function AmountChoice({ field, amount, onChange }: {
  field: FormField;
  amount: string;
  onChange: (amount: string) => void;
}) {
  const { t, i18n } = useTranslation('tips');
  const tokens = Number(amount);
  const valid = isTipAmount(tokens);
  const dollars = formatMoney({ minor: shownCents(valid ? tokens : 0), currency: 'USD' }, i18n.language);
  const range = useAmountRange();
  return (
    <>
      <div role="group" aria-label={t('quick')} className="grid grid-cols-5 gap-2">
        {QUICK_TIP_TOKENS.map((quick) => (
          <button
            key={quick}
            type="button"
            aria-pressed={tokens === quick}
            onClick={() => onChange(String(quick))}
            className="min-h-11 rounded-full border border-line bg-raised text-sm font-medium
              transition-colors hover:border-field aria-pressed:border-pink"
          >
            <TokenAmount tokens={quick} />
          </button>
        ))}
      </div>
      <TextField
        {...field}
        label={t('amount')}
        inputMode="numeric"
        autoComplete="off"
        value={amount}
        hint={t('value', { dollars })}
        error={valid ? undefined : range}
        onInput={keepDigits}
        onChange={(change) => {
          onChange(change.target.value);
          field.onChange(change);
        }}
      />
    </>
  );
}
