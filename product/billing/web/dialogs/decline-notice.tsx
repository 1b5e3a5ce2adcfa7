import { keyOf } from '#platform/text/message-keys.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CircleAlert } from 'lucide-react';
import type { DeclineCode } from '../../rules.ts';
import { declineText } from '../../rules/payments/payment-return.ts';

/** Why a payment was declined, with the code for support. */
export function DeclineNotice({ reason }: { reason: DeclineCode | null }) {
  const { t } = useTranslation('billing');
  return (
    <p className="flex items-start gap-3 rounded-control border border-danger bg-raised px-3 py-2 text-sm">
      <CircleAlert size={20} aria-hidden className="shrink-0 text-danger-text" />
      <span>
        {t(keyOf('billing', 'web.decline', declineText(reason)))}
        {reason
          ? <span className="block text-xs text-muted">{t('web.decline.code', { code: reason })}</span>
          : null}
      </span>
    </p>
  );
}
