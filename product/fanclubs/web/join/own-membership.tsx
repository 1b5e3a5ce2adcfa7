import { useAction, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { useState, type ReactNode } from 'react';
import { planMembership } from '../../client.ts';
import type { MembershipView, TierView } from '../../contract.ts';
import { hasLevel } from '../../rules/benefits.ts';
import { showPlan } from '../live.ts';
import { PlanDialog } from './plan-dialog.tsx';

/** When a running membership renews or ends. */
export function MembershipLine({ membership }: { membership: MembershipView }) {
  const { t } = useTranslation('fanclubs');
  const { level, state, price, paid_until: until, renews, next_level: next, grace_until: grace } = membership;
  const nextPrice = membership.next_price;
  const named = { level: t(`level.${level}`) };
  if (state === 'ended') {
    return (
      <p className="text-sm text-muted">
        {t('own.ended', named)} <Day at={until} />
      </p>
    );
  }
  if (state === 'grace') {
    return (
      <p className="text-sm text-warning-text">
        {t('own.grace', named)} <Day at={grace ?? until} />
      </p>
    );
  }
  return (
    <p className="text-sm">
      {!renews
        ? (
          <>
            {t('own.cancelled', named)} <Day at={until} />
          </>
        )
        : next !== null
        ? (
          <>
            {t('own.lower', { ...named, next: t(`level.${next}`) })} <Day at={until} />
            {nextPrice === null ? null : (
              <>
                {' · '}
                <TokenAmount tokens={nextPrice} />
              </>
            )}
          </>
        )
        : (
          <>
            {t('own.renews', named)} <Day at={until} /> · <TokenAmount tokens={price} />
          </>
        )}
    </p>
  );
}

const Day = ({ at }: { at: string }) => <Moment at={at} show="day" />;

interface PlanProps {
  readonly membership: MembershipView;
  readonly name: string;
  /** Current price of a month of each level; empty for a closed club. */
  readonly prices: readonly Pick<TierView, 'level' | 'price'>[];
}

/** Cancelling asks once, and so does continuing at the same or a lower level, because it costs tokens. */
export function PlanButtons({ membership, name, prices }: PlanProps) {
  const { t } = useTranslation('fanclubs');
  const toast = useToast();
  const cache = useCache();
  const plan = useAction(planMembership);
  const [asking, setAsking] = useState<'cancel' | FanclubLevel | null>(null);
  const { id, level, renews, next_level: next } = membership;
  const ask = (about: 'cancel' | FanclubLevel | null) => {
    plan.reset();
    setAsking(about);
  };
  const send = async (wanted: { renews: boolean; level?: FanclubLevel; price?: number }, said: string) => {
    const isDone = await plan.run({ id, ...wanted }) !== null;
    // A changed price appears in the question.
    showPlan(cache);
    if (!isDone) return;
    toast(said, 'success');
    setAsking(null);
  };
  const lower = prices.filter((price) => price.level !== level && hasLevel(level, price.level));
  const asked = asking === level
    ? { level, price: membership.price }
    : lower.find((item) => item.level === asking);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        {renews && next === null ? null : (
          <Button busy={plan.busy} onClick={() => ask(level)}>
            {t('own.resume', { level: t(`level.${level}`) })}
          </Button>
        )}
        {renews
          ? lower.filter((item) => item.level !== next).map((item) => (
            <Button
              key={item.level}
              tone="quiet"
              busy={plan.busy}
              onClick={() => ask(item.level)}
            >
              {t('own.goLower', { level: t(`level.${item.level}`) })}
            </Button>
          ))
          : null}
        {renews
          ? <Button tone="quiet" busy={plan.busy} onClick={() => ask('cancel')}>{t('own.cancel')}</Button>
          : null}
      </div>
      <FormError problem={asked ? null : plan.problem} />
      {asking === 'cancel'
        ? (
          <Dialog title={t('own.cancelTitle', { name })} onClose={() => ask(null)}>
            <Asked
              onNo={() => ask(null)}
              busy={plan.busy}
              onYes={() => void send({ renews: false }, t('own.cancelDone'))}
            >
              {t('own.cancelText')} <Day at={membership.paid_until} />
            </Asked>
          </Dialog>
        )
        : null}
      {asked
        ? (
          <PlanDialog
            membership={membership}
            name={name}
            plan={asked}
            busy={plan.busy}
            problem={plan.problem}
            onReject={() => ask(null)}
            onAccept={() =>
              void (asked.level === level
                ? send({ renews: true }, t('own.resumed'))
                : send({ renews: true, level: asked.level, price: asked.price }, t('own.lowered')))}
          />
        )
        : null}
    </div>
  );
}

function Asked({ children, busy, onYes, onNo }: {
  children: ReactNode;
  busy: boolean;
  onYes: () => void;
  onNo: () => void;
}) {
  const { t } = useTranslation('fanclubs');
  return (
    <div className="flex flex-col gap-4">
      <p>{children}</p>
      <div className="flex flex-wrap gap-2">
        <Button tone="danger" busy={busy} onClick={onYes}>{t('own.cancel')}</Button>
        <Button onClick={onNo}>{t('own.keep')}</Button>
      </div>
    </div>
  );
}
