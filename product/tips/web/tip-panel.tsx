import { useEffect, useId, useState, type InputHTMLAttributes } from 'react';
import type { Problem } from '../../../platform/contract/client/client.ts';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { Button } from '../../../platform/ui/controls/button.tsx';
import { Checkbox, FieldNotes, keepDigits, TextField } from '../../../platform/ui/controls/fields.tsx';
import { textOf, useFields, type FormField } from '../../../platform/ui/forms/form.ts';
import { FormError } from '../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenAmount, TokenGlyph } from '../../../platform/ui/text/amounts.tsx';
import { formatMoney } from '../../../platform/text/money.ts';
import {
  DEFAULT_TIP_TOKENS, isTipAmount, MAX_TIP_COMMENT_LENGTH, MAX_TIP_TOKENS, MIN_TIP_TOKENS, QUICK_TIP_TOKENS,
} from '../rules.ts';
import { shownCents } from '../../ledger/rules/shown.ts';
import { lastTip, outcomeOf, useTipping, type Tip, type TipOutcome, type TipPrompt } from './send-tip.ts';

/** Who tips whom, and what opens when they cannot. */
export interface TipTarget {
  readonly username: string;
  readonly displayName: string;
  /** Nobody is logged in: the login prompt opens and nothing is sent. */
  readonly guest: boolean;
  readonly balance: number;
  readonly onLogin: () => void;
  readonly onPrompt: (prompt: TipPrompt) => void;
}

/** Acts on what became of a tip, but for the tip that was sent. */
export function useTipOutcome(
  { onLogin, onPrompt }: Pick<TipTarget, 'onLogin' | 'onPrompt'>,
): (outcome: TipOutcome | null) => void {
  const { t } = useTranslation('tips');
  const toast = useToast();
  return (outcome) => {
    if (outcome?.kind === 'login') onLogin();
    else if (outcome?.kind === 'prompt') onPrompt(outcome.prompt);
    else if (outcome?.kind === 'missing_target') toast(t('somethingWrong'), 'error');
    else if (outcome?.kind === 'unavailable') {
      const title = t('unavailable');
      toast(t('unavailableWhy', { title, why: outcome.problem.message }), 'error', { title });
    }
  };
}

/** Acts on a refused call that would have paid tokens, and returns what is left to show beside its button. */
export function useTipRefusal(
  prompts: Pick<TipTarget, 'onLogin' | 'onPrompt'>,
): (problem: Problem) => Problem | null {
  const act = useTipOutcome(prompts);
  return (problem) => {
    const outcome = outcomeOf(problem);
    if (outcome.kind === 'refused') return outcome.problem;
    act(outcome);
    return null;
  };
}

/** The text for an amount that cannot be tipped. */
function useAmountRange(): string {
  const { t, i18n } = useTranslation('tips');
  return t('amountRange', { min: MIN_TIP_TOKENS, max: formatCount(MAX_TIP_TOKENS, i18n.language) });
}

/**
 * The form of a tip. Its rules check all that the shape of the call would, so that no shape is fetched and
 * the first tip waits for nothing.
 */
function useTipForm(target: TipTarget) {
  const { username, displayName, guest, onLogin } = target;
  const { t, i18n } = useTranslation('tips');
  const toast = useToast();
  const tipping = useTipping();
  const act = useTipOutcome(target);
  const range = useAmountRange();
  const form = useFields<Tip>({
    mayStart: () => {
      if (guest) onLogin();
      return !guest;
    },
    read: (fields) => ({
      username, amount: Number(textOf(fields, 'amount')), comment: textOf(fields, 'comment').trim(),
      anonymous: fields.has('anonymous'), item: null,
    }),
    check: ({ amount }): Readonly<Record<string, string>> => (isTipAmount(amount) ? {} : { amount: range }),
    onSubmit: async (tip) => {
      const outcome = await tipping.send(tip);
      act(outcome);
      if (outcome?.kind !== 'sent') return;
      clearComment(form.props.ref.current, tip.comment);
      const amount = formatCount(tip.amount, i18n.language);
      toast(t('sent', { count: tip.amount, amount, name: displayName }), 'success');
    },
  });
  return { form, problem: tipping.problem };
}

/** Empties the comment that was sent; one typed since stays. */
function clearComment(form: HTMLFormElement | null, sent: string): void {
  const field = form?.elements.namedItem('comment');
  if (field instanceof HTMLInputElement && field.value.trim() === sent) field.value = '';
}

/**
 * The amount of a tip that is being chosen; it begins with that of the last one.
 * @param begins what was typed elsewhere before; null for nothing
 */
function useAmount(fields: ReturnType<typeof useTipForm>['form']['fields'], begins: string | null = null) {
  const [amount, setAmount] = useState(begins ?? String(DEFAULT_TIP_TOKENS));
  useEffect(() => {
    if (begins !== null) return;
    const typed = textOf(fields(), 'amount');
    // What was typed before React took over stays.
    setAmount(typed === String(DEFAULT_TIP_TOKENS) ? String(lastTip() ?? DEFAULT_TIP_TOKENS) : typed);
  }, [begins, fields]);
  return [amount, setAmount] as const;
}

/** What the button of a tip says: what it costs. */
function useSendText(amount: string): string {
  const { t, i18n } = useTranslation('tips');
  const tokens = Number(amount);
  return isTipAmount(tokens) ? t('send', { amount: formatCount(tokens, i18n.language) }) : t('sendPlain');
}

/** An amount and its button, in one line; what is wrong with them stands above it. */
export function QuickTip({ onAmount, ...target }: TipTarget & {
  readonly onAmount: (amount: string) => void;
}) {
  const { t, i18n } = useTranslation('tips');
  const { form, problem } = useTipForm(target);
  const [amount, setAmount] = useAmount(form.fields);
  const field = form.field('amount');
  const id = useId();
  const tokens = Number(amount);
  const isValid = isTipAmount(tokens);
  const range = useAmountRange();
  const error = isValid ? field.error : range;
  const dollars = formatMoney({ minor: shownCents(isValid ? tokens : 0), currency: 'USD' }, i18n.language);
  const text = useSendText(amount);
  return (
    <form {...form.props} aria-label={t('title', { name: target.displayName })} className="contents">
      {/* Above the bar, which keeps its height: a refusal moves nothing that could be clicked next. */}
      <div className="absolute bottom-full left-2 z-20 mb-1 max-w-sm rounded-control bg-surface px-3
        not-empty:shadow-float has-[p]:border has-[p]:border-line has-[p]:py-2">
        {error ? <FieldNotes id={id} error={error} /> : <TipProblem problem={problem} />}
      </div>
      <div className="flex shrink-0 items-center">
        <label htmlFor={id} className="sr-only">{t('amount')}</label>
        <input id={id} name={field.name} value={amount} inputMode="numeric" autoComplete="off"
          onInput={keepDigits} aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : `${id}-hint`}
          onChange={(change) => {
            setAmount(change.target.value);
            onAmount(change.target.value);
            field.onChange(change);
          }}
          className="tabular h-11 w-16 rounded-l-control border border-r-0 border-field bg-surface px-2
            text-center text-base aria-invalid:border-danger max-[359px]:w-13" />
        <span id={`${id}-hint`} className="sr-only">{t('value', { dollars })}</span>
        <span className="contents *:rounded-l-none">
          <Button type="submit" tone="primary" busy={form.busy} icon={<TokenGlyph />}>{text}</Button>
        </span>
      </div>
    </form>
  );
}

/** Choosing an amount and tipping it. What was typed stays until the tip is through. */
export function TipPanel({ begins, ...target }: TipTarget & {
  /** The amount that was typed in the bar; null for none. */
  readonly begins: string | null;
}) {
  const { displayName, guest, balance } = target;
  const { t } = useTranslation('tips');
  const { form, problem } = useTipForm(target);
  const [amount, setAmount] = useAmount(form.fields, begins);
  const text = useSendText(amount);
  return (
    <form {...form.props} aria-label={t('title', { name: displayName })} className="flex flex-col gap-4">
      <AmountChoice field={form.field('amount')} amount={amount} onChange={setAmount} />
      <TextField {...form.field('comment')} label={t('comment')} maxLength={MAX_TIP_COMMENT_LENGTH}
        autoComplete="off" />
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

/** Why a tip did not go; without an answer, what to do now. */
export function TipProblem({ problem }: { problem: Problem | null }) {
  const { t } = useTranslation('tips');
  return <FormError problem={problem && { ...problem, message: problem.message || t('noAnswer') }} />;
}

/** Giving without a name. */
export function Anonymous(
  attributes: Pick<InputHTMLAttributes<HTMLInputElement>, 'name' | 'checked' | 'onChange'>,
) {
  const { t } = useTranslation('tips');
  return (
    <Checkbox {...attributes}
      label={(
        <>
          {t('anonymous')}
          <span className="block text-xs text-muted">{t('anonymousHint')}</span>
        </>
      )} />
  );
}

/** Amounts at one press, and any other; with the value beside it. */
function AmountChoice({ field, amount, onChange }: {
  field: FormField; amount: string; onChange: (amount: string) => void;
}) {
  const { t, i18n } = useTranslation('tips');
  const tokens = Number(amount);
  const valid = isTipAmount(tokens);
  const dollars = formatMoney({ minor: shownCents(valid ? tokens : 0), currency: 'USD' }, i18n.language);
  const range = useAmountRange();
  return (
    <>
      <div role="group" aria-label={t('quick')} className="flex flex-wrap gap-2">
        {QUICK_TIP_TOKENS.map((quick) => (
          <button key={quick} type="button" aria-pressed={tokens === quick}
            onClick={() => onChange(String(quick))}
            className="min-h-11 rounded-full border border-line bg-raised px-4 text-sm font-medium
              transition-colors hover:border-field aria-pressed:border-pink">
            <TokenAmount tokens={quick} />
          </button>
        ))}
      </div>
      <TextField {...field} label={t('amount')} inputMode="numeric" autoComplete="off" value={amount}
        hint={t('value', { dollars })} error={valid ? undefined : range} onInput={keepDigits}
        onChange={(change) => {
          onChange(change.target.value);
          field.onChange(change);
        }} />
    </>
  );
}
