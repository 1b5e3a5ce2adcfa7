import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useLobby } from '#platform/ui/calls/live.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect } from 'react';
import { getOrder, paymentUpdate } from '../../client.ts';
import { waitStep } from '../../rules/payments/flow.ts';
import { Bought } from '../money.tsx';
import type { MoneyStep, Order, StepProps } from '../steps.ts';

/** Polling covers events lost while the socket was down. */
const ASK_EVERY_MS = 4_000;

/** The dialog for an order's outcome; null while the order is open. */
function stepOf(order: Order): MoneyStep | null {
  const step = waitStep(order.state);
  if (step === 'wait') return null;
  if (step === 'success') return { kind: 'success', orderId: order.id };
  if (step === 'declined') return { kind: 'declined', reason: order.declined_reason, orderId: order.id };
  const { id: orderId, declined_reason: reason, reference } = order;
  return { kind: 'failed', reason, reference, orderId };
}

/** An order on our server, as it changes. */
function useLiveOrder(orderId: string) {
  const read = useRead(getOrder, { id: orderId }, { everyMs: ASK_EVERY_MS });
  const lobby = useLobby();
  useEvent(lobby, paymentUpdate, (update) => {
    if (update.order_id === orderId) void read.refetch();
  });
  return read;
}

/** Follows an order until it is settled, then opens the next dialog. */
export function useOrder(orderId: string, go: StepProps['go']) {
  const read = useLiveOrder(orderId);
  const order = read.data?.order;
  useEffect(() => {
    const next = order && stepOf(order);
    if (next) go(next);
  }, [go, order]);
  return read;
}

/** Follows an order that the address reports as failed: if it is paid after all, its receipt opens. */
export function useOrderUntilPaid(orderId: string, go: StepProps['go']) {
  const read = useLiveOrder(orderId);
  const isPaid = read.data?.order?.state === 'paid';
  useEffect(() => {
    if (isPaid) go({ kind: 'success', orderId });
  }, [go, isPaid, orderId]);
  return read;
}

/** A payment of unknown outcome. The dialog can be closed: the purchase arrives anyway. */
export function WaitingDialog(
  { step, go, onClose }: StepProps & { readonly step: Extract<MoneyStep, { kind: 'waiting' }> },
) {
  const { t } = useTranslation('billing');
  const { data, error, refetch } = useOrder(step.orderId, go);
  const order = data?.order;
  return (
    <Dialog
      title={t('web.waiting.title')}
      onClose={onClose}
      actions={<Button onClick={onClose}>{t('web.waiting.leave')}</Button>}
    >
      {error && !order
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : (
          <div className="flex flex-col gap-4">
            <div role="status" className="flex flex-col gap-2">
              <p>{t(order?.state === 'unknown' ? 'web.waiting.unknown' : 'web.waiting.text')}</p>
              <Skeleton className="h-1" />
            </div>
            {order ? <Bought order={order} /> : <Skeleton className="h-11" />}
            <p className="text-sm text-muted">{t('web.waiting.note')}</p>
          </div>
        )}
    </Dialog>
  );
}
