import { formatMoney } from '#platform/text/money.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { refundPayment } from '../../client.ts';
import { tokensBack } from '../../rules/payments/refunds.ts';
import { useReloadMoney } from '../live.ts';
import { billerText } from '../money.tsx';
import type { Payment } from './payments/payment-steps.ts';

/** Refunds a payment, after a confirmation that shows the effect; nothing for unpaid ones. */
export function RefundButton({ payment }: { readonly payment: Payment }) {
  const { t } = useTranslation('billing');
  const [asks, setAsks] = useState(false);
  if (payment.state !== 'paid' || payment.price.minor === 0) return null;
  return (
    <>
      <Button tone="danger" aria-haspopup="dialog" onClick={() => setAsks(true)}>
        {t('web.admin.refund.open')}
      </Button>
      {asks ? <RefundDialog payment={payment} onClose={() => setAsks(false)} /> : null}
    </>
  );
}

function RefundDialog({ payment, onClose }: { readonly payment: Payment; readonly onClose: () => void }) {
  const { t, i18n } = useTranslation('billing');
  const toast = useToast();
  const reload = useReloadMoney();
  const form = useForm(refundPayment, {
    shape: async () => (await import('../../contract/payments.ts')).refundPayment,
    read: (fields) => ({ id: payment.id, reason: textOf(fields, 'reason').trim() }),
    onDone: async () => {
      await reload();
      toast(t('web.admin.refund.done'), 'success');
      onClose();
    },
  });
  const { price, refunded_minor: before, username } = payment;
  const biller = billerText(payment.biller);
  // Without tokens already removed by earlier partial refunds.
  const tokens = [payment.tokens, payment.free_tokens].reduce(
    (sum, of) => sum + of - tokensBack(of, before, price.minor),
    0,
  );
  const left = formatMoney({ ...price, minor: price.minor - before }, i18n.language);
  return (
    <Dialog title={t('web.admin.refund.title', { price: left, username })} onClose={onClose}>
      <form {...form.props} method="post" className="flex flex-col gap-4">
        <p>{t('web.admin.refund.first', { biller, reference: payment.reference ?? '—' })}</p>
        <p>{t('web.admin.refund.then', { count: tokens, tokens: formatCount(tokens, i18n.language) })}</p>
        <TextField
          {...form.field('reason')}
          label={t('web.admin.refund.reason')}
          hint={t('web.admin.refund.reasonHint')}
          autoComplete="off"
          maxLength={500}
          required
        />
        <FormError problem={form.problem} />
        <Button type="submit" tone="danger" busy={form.busy}>{t('web.admin.refund.open')}</Button>
      </form>
    </Dialog>
  );
}
