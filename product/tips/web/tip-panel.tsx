import { useEffect, useState, type FormEvent } from 'react';
import type { Problem } from '../../../platform/contract/client/client.ts';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { Button } from '../../../platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '../../../platform/ui/controls/fields.tsx';
import { FormError } from '../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenAmount, TokenGlyph } from '../../../platform/ui/text/amounts.tsx';
import { formatMoney } from '../../../platform/text/money.ts';
import {
  DEFAULT_TIP_TOKENS, isTipAmount, MAX_TIP_COMMENT_LENGTH, MAX_TIP_TOKENS, MIN_TIP_TOKENS, QUICK_TIP_TOKENS,
} from '../rules.ts';
import { shownCents } from '../../ledger/rules/shown.ts';
import { lastTip, useTipping, type TipOutcome, type TipPrompt } from './send-tip.ts';

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
      toast(t('unavailableWhy', { title: t('unavailable'), why: outcome.problem.message }), 'error');
    }
  };
}

/** Choosing an amount and tipping it. What was typed stays until the tip is through. */
export function TipPanel(target: TipTarget) {
  const { username, displayName, guest, balance, onLogin } = target;
  const { t, i18n } = useTranslation('tips');
  const toast = useToast();
  const tipping = useTipping();
  const act = useTipOutcome(target);
  const [amount, setAmount] = useState(String(DEFAULT_TIP_TOKENS));
  const [comment, setComment] = useState('');
  const [anonymous, setAnonymous] = useState(false);
  useEffect(() => setAmount(String(lastTip() ?? DEFAULT_TIP_TOKENS)), []);
  const tokens = Number(amount);
  const valid = isTipAmount(tokens);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (guest) return onLogin();
    if (!valid || tipping.busy) return;
    const tip = { username, amount: tokens, comment: comment.trim(), anonymous, item: null };
    const outcome = await tipping.send(tip);
    act(outcome);
    if (outcome?.kind !== 'sent') return;
    setComment('');
    const said = formatCount(tokens, i18n.language);
    toast(t('sent', { count: tokens, amount: said, name: displayName }), 'success');
  };
  return (
    <form
      onSubmit={(event) => void submit(event)}
      noValidate
      aria-label={t('title', { name: displayName })}
      className="flex flex-col gap-4">
      <AmountChoice amount={amount} onChange={setAmount} />
      <TextField
        label={t('comment')}
        name="comment"
        value={comment}
        maxLength={MAX_TIP_COMMENT_LENGTH}
        autoComplete="off"
        onChange={(change) => setComment(change.target.value)}
      />
      <Anonymous checked={anonymous} onChange={setAnonymous} />
      <TipProblem problem={tipping.problem} />
      <Button type="submit" tone="primary" wide busy={tipping.busy} icon={<TokenGlyph />}>
        {valid ? t('send', { amount: formatCount(tokens, i18n.language) }) : t('sendPlain')}
      </Button>
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
export function Anonymous({ checked, onChange }: {
  checked: boolean; onChange: (checked: boolean) => void;
}) {
  const { t } = useTranslation('tips');
  return (
    <Checkbox checked={checked} onChange={(change) => onChange(change.target.checked)}
      label={(
        <>
          {t('anonymous')}
          <span className="block text-xs text-muted">{t('anonymousHint')}</span>
        </>
      )} />
  );
}

/** Amounts at one press, and any other; with the value beside it. */
function AmountChoice({ amount, onChange }: { amount: string; onChange: (amount: string) => void }) {
  const { t, i18n } = useTranslation('tips');
  const tokens = Number(amount);
  const valid = isTipAmount(tokens);
  const dollars = formatMoney({ minor: shownCents(valid ? tokens : 0), currency: 'USD' }, i18n.language);
  const limits = { min: MIN_TIP_TOKENS, max: formatCount(MAX_TIP_TOKENS, i18n.language) };
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
      <TextField label={t('amount')} name="amount" inputMode="numeric" autoComplete="off" value={amount}
        min={MIN_TIP_TOKENS} max={MAX_TIP_TOKENS} hint={t('value', { dollars })}
        error={valid ? undefined : t('amountRange', limits)}
        onChange={(change) => onChange(change.target.value.replaceAll(/[^\d]/gu, ''))} />
    </>
  );
}
