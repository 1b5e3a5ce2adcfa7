import { Button } from '#platform/ui/controls/button.tsx';
import { keepDigits, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useFields } from '#platform/ui/forms/form.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenGlyph } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { isTipAmount, MAX_TIP_TOKENS, MIN_TIP_TOKENS } from '#product/tips/rules.ts';
import { useTipping, type Tip } from '#product/tips/web/send-tip.ts';
import { TipProblem, useTipOutcome } from '#product/tips/web/tip-panel.tsx';
import { useState } from 'react';
import { useOpenPrompt } from '../../shell/money-prompts.tsx';

/** The initial tip of the feed, whatever somebody tipped before (spec 3 §4 "Swipe feed"). */
const SWIPE_TIP_TOKENS = 25;

interface TipRowProps {
  readonly username: string;
  readonly displayName: string;
}

/** Tips the performer on the card: an amount and one button. */
export function TipRow({ username, displayName }: TipRowProps) {
  const { t, i18n } = useTranslation('tips');
  const [amount, setAmount] = useState(String(SWIPE_TIP_TOKENS));
  const me = useMe();
  const askLogin = useLoginPrompt();
  const openPrompt = useOpenPrompt();
  const say = useToast();
  const tipping = useTipping();
  const onLogin = () => void askLogin('tip');
  const act = useTipOutcome({ onLogin, onPrompt: openPrompt });
  const range = t('amountRange', { min: MIN_TIP_TOKENS, max: formatCount(MAX_TIP_TOKENS, i18n.language) });
  const form = useFields<Tip>({
    mayStart: () => {
      if (!me) onLogin();
      return me !== null;
    },
    read: (fields) => ({
      username,
      amount: Number(textOf(fields, 'amount')),
      comment: '',
      anonymous: false,
      item: null,
    }),
    check: (tip): Readonly<Record<string, string>> => (isTipAmount(tip.amount) ? {} : { amount: range }),
    onSubmit: async (tip) => {
      const outcome = await tipping.send(tip);
      act(outcome, tip.amount);
      if (outcome?.kind !== 'sent') return;
      const tokens = formatCount(tip.amount, i18n.language);
      say(t('sent', { count: tip.amount, amount: tokens, name: displayName }), 'success');
    },
  });
  const field = form.field('amount');
  const tokens = Number(amount);
  return (
    <form {...form.props} aria-label={t('title', { name: displayName })} className="flex flex-col gap-2">
      <TipProblem problem={tipping.problem} />
      <div className="flex items-start gap-2">
        <div className="w-24 shrink-0 [&_label]:sr-only">
          <TextField
            {...field}
            label={t('amount')}
            inputMode="numeric"
            autoComplete="off"
            value={amount}
            error={isTipAmount(tokens) ? undefined : range}
            onInput={keepDigits}
            onChange={(change) => {
              setAmount(change.target.value);
              field.onChange(change);
            }}
          />
        </div>
        <Button type="submit" tone="primary" wide busy={form.busy} icon={<TokenGlyph />}>
          {isTipAmount(tokens) ? t('send', { amount: formatCount(tokens, i18n.language) }) : t('sendPlain')}
        </Button>
      </div>
    </form>
  );
}
