import type { Problem } from '#platform/contract/client.ts';
import { formatMoney } from '#platform/text/money.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FieldNotes, keepDigits } from '#platform/ui/controls/fields.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenGlyph } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { shownCents } from '#product/ledger/rules/shown.ts';
import type { OpenMoneyPrompt } from '#product/rooms/web/page-part.ts';
import { useEffect, useId, useRef, useState, type FormEvent } from 'react';
import { DEFAULT_TIP_TOKENS, isTipAmount, MAX_TIP_TOKENS, MIN_TIP_TOKENS } from '../rules.ts';
import { lastTip, outcomeOf, useTipping, type Tip, type TipOutcome } from './send-tip.ts';

/** Who tips whom, and what opens when a tip is refused. */
export interface TipTarget {
  readonly username: string;
  readonly displayName: string;
  /** Nobody is logged in: the login prompt opens and nothing is sent. */
  readonly guest: boolean;
  readonly balance: number;
  readonly onLogin: () => void;
  readonly onPrompt: OpenMoneyPrompt;
}

/** Acts on the result of a tip, unless it was sent. */
export function useTipOutcome(
  { onLogin, onPrompt }: Pick<TipTarget, 'onLogin' | 'onPrompt'>,
): (outcome: TipOutcome | null, needed?: number) => void {
  const { t } = useTranslation('tips');
  const toast = useToast();
  return (outcome, needed) => {
    if (outcome?.kind === 'login') onLogin();
    // Viewers who lack tokens are first shown what would be enough.
    else if (outcome?.kind === 'prompt') {
      onPrompt(outcome.prompt === 'purchase' ? 'low_tokens' : outcome.prompt, needed);
    } else if (outcome?.kind === 'missing_target') toast(t('somethingWrong'), 'error');
    else if (outcome?.kind === 'unavailable') {
      const title = t('unavailable');
      toast(t('unavailableWhy', { title, why: outcome.problem.message }), 'error', { title });
    }
  };
}

/** Acts on a refused call that would have paid tokens. Returns the problem left to show beside its button. */
export function useTipRefusal(
  prompts: Pick<TipTarget, 'onLogin' | 'onPrompt'>,
): (problem: Problem, needed?: number) => Problem | null {
  const act = useTipOutcome(prompts);
  return (problem, needed) => {
    const outcome = outcomeOf(problem);
    if (outcome.kind === 'refused') return outcome.problem;
    act(outcome, needed);
    return null;
  };
}

/** The text for an amount that cannot be tipped. */
export function useAmountRange(): string {
  const { t, i18n } = useTranslation('tips');
  return t('amountRange', { min: MIN_TIP_TOKENS, max: formatCount(MAX_TIP_TOKENS, i18n.language) });
}

/** Sends a tip and shows the result. Returns whether it succeeded. */
export function useSendTip(target: TipTarget): {
  readonly busy: boolean;
  readonly problem: Problem | null;
  readonly send: (tip: Tip) => Promise<boolean>;
} {
  const { t, i18n } = useTranslation('tips');
  const toast = useToast();
  const { busy, problem, send } = useTipping();
  const act = useTipOutcome(target);
  return {
    busy,
    problem,
    send: async (tip) => {
      const outcome = await send(tip);
      act(outcome, tip.amount);
      if (outcome?.kind !== 'sent') return false;
      const amount = formatCount(tip.amount, i18n.language);
      toast(t('sent', { count: tip.amount, amount, name: target.displayName }), 'success');
      return true;
    },
  };
}

/** The text of a tip button: the price. */
export function useSendText(amount: string): string {
  const { t, i18n } = useTranslation('tips');
  const tokens = Number(amount);
  return isTipAmount(tokens) ? t('send', { amount: formatCount(tokens, i18n.language) }) : t('sendPlain');
}

/** Initial amount of a tip: that of the last one. */
export const firstAmount = (): string => String(lastTip() ?? DEFAULT_TIP_TOKENS);

/**
 * An amount and its button, in one line; problems appear above it. It is in every room from the start, so it
 * does without the form library: it only checks one number.
 */
export function QuickTip({ onAmount, ...target }: TipTarget & {
  readonly onAmount: (amount: string) => void;
}) {
  const { t, i18n } = useTranslation('tips');
  const { busy, problem, send } = useSendTip(target);
  const input = useRef<HTMLInputElement>(null);
  const isSending = useRef(false);
  const [amount, setAmount] = useState(String(DEFAULT_TIP_TOKENS));
  useEffect(() => {
    const typed = input.current?.value ?? '';
    // Preserves what was typed before hydration.
    setAmount(typed === String(DEFAULT_TIP_TOKENS) ? firstAmount() : typed);
  }, []);
  const id = useId();
  const tokens = Number(amount);
  const isValid = isTipAmount(tokens);
  const range = useAmountRange();
  const dollars = formatMoney({ minor: shownCents(isValid ? tokens : 0), currency: 'USD' }, i18n.language);
  const text = useSendText(amount);
  const onSubmit = async (submit: FormEvent): Promise<void> => {
    submit.preventDefault();
    if (isSending.current) return;
    if (target.guest) return target.onLogin();
    if (!isValid) return input.current?.focus();
    isSending.current = true;
    const { username } = target;
    await send({ username, amount: tokens, comment: '', anonymous: false, item: null });
    isSending.current = false;
  };
  return (
    <form
      noValidate
      onSubmit={(submit) => void onSubmit(submit)}
      className="contents"
      aria-label={t('title', { name: target.displayName })}
    >
      {/* Above the bar, whose height stays the same: a refusal moves nothing that could be clicked next. */}
      <div className="absolute bottom-full left-2 z-20 mb-1 max-w-sm rounded-control bg-surface px-3
        not-empty:shadow-float has-[p]:border has-[p]:border-line has-[p]:py-2">
        {isValid ? <TipProblem problem={problem} /> : <FieldNotes id={id} error={range} />}
      </div>
      <div className="flex shrink-0 items-center">
        <label htmlFor={id} className="sr-only">{t('amount')}</label>
        <input
          ref={input}
          id={id}
          name="amount"
          value={amount}
          inputMode="numeric"
          autoComplete="off"
          onInput={keepDigits}
          aria-invalid={isValid ? undefined : true}
          aria-describedby={isValid ? `${id}-hint` : `${id}-error`}
          onChange={({ target: { value } }) => {
            setAmount(value);
            onAmount(value);
          }}
          className="tabular h-11 w-16 rounded-l-control border border-r-0 border-field bg-surface px-2
            text-center text-base aria-invalid:border-danger max-[399px]:w-12"
        />
        <span id={`${id}-hint`} className="sr-only">{t('value', { dollars })}</span>
        <span className="contents *:rounded-l-none max-[399px]:*:px-3">
          <Button type="submit" tone="primary" busy={busy} icon={<TokenGlyph />}>{text}</Button>
        </span>
      </div>
    </form>
  );
}

/** Why a tip failed; without a response, what to do now. */
export function TipProblem({ problem }: { problem: Problem | null }) {
  const { t } = useTranslation('tips');
  return <FormError problem={problem && { ...problem, message: problem.message || t('noAnswer') }} />;
}
