import { useEffect, useState, type FormEvent } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { Button } from '../../../platform/ui/controls/button.tsx';
import { TextField } from '../../../platform/ui/controls/fields.tsx';
import { FormError } from '../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenAmount, TokenGlyph } from '../../../platform/ui/text/amounts.tsx';
import {
  DEFAULT_TIP_TOKENS, isTipAmount, MAX_TIP_COMMENT_LENGTH, MAX_TIP_TOKENS, MIN_TIP_TOKENS, QUICK_TIP_TOKENS,
  shownCents,
} from '../rules.ts';
import { lastTip, useTipping } from './send-tip.ts';

interface TipPanelProps {
  readonly username: string;
  readonly displayName: string;
  /** Nobody is logged in: the login prompt opens and nothing is sent. */
  readonly guest: boolean;
  readonly balance: number;
  readonly onLogin: () => void;
  readonly onNeedTokens: (missing: number) => void;
}

/** Choosing an amount and tipping it. What was typed stays until the tip is through. */
export function TipPanel({ username, displayName, guest, balance, onLogin, onNeedTokens }: TipPanelProps) {
  const { t, i18n } = useTranslation('tips');
  const toast = useToast();
  const tipping = useTipping();
  const [amount, setAmount] = useState(String(DEFAULT_TIP_TOKENS));
  const [comment, setComment] = useState('');
  useEffect(() => setAmount(String(lastTip() ?? DEFAULT_TIP_TOKENS)), []);
  const tokens = Number(amount);
  const valid = isTipAmount(tokens);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (guest) return onLogin();
    if (!valid || tipping.busy) return;
    const outcome = await tipping.send({ username, amount: tokens, comment: comment.trim() });
    if (outcome?.kind === 'login') onLogin();
    else if (outcome?.kind === 'funds') onNeedTokens(tokens - balance);
    else if (outcome?.kind === 'missing_target') toast(t('somethingWrong'), 'error');
    else if (outcome?.kind === 'sent') {
      setComment('');
      toast(t('sent', { amount: formatCount(tokens, i18n.language), name: displayName }), 'success');
    }
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
      <FormError
        problem={tipping.problem && { ...tipping.problem, message: tipping.problem.message || t('noAnswer') }}
      />
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

/** Amounts at one press, and any other; with the value beside it. */
function AmountChoice({ amount, onChange }: { amount: string; onChange: (amount: string) => void }) {
  const { t, i18n } = useTranslation('tips');
  const tokens = Number(amount);
  const valid = isTipAmount(tokens);
  const dollars = new Intl.NumberFormat(i18n.language, { style: 'currency', currency: 'USD' })
    .format(shownCents(valid ? tokens : 0) / 100);
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
