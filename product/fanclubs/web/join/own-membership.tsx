import { useState, type ReactNode } from 'react';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { FANCLUB_LEVELS, type FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { planMembership } from '../../client.ts';
import type { MembershipView } from '../../contract.ts';
import { hasLevel } from '../../rules/benefits.ts';
import { showPlan } from '../live.ts';
import { ResumeDialog } from './resume-dialog.tsx';

/** How a running membership goes on. */
export function MembershipLine({ membership }: { membership: MembershipView }) {
  const { t } = useTranslation('fanclubs');
  const { level, state, price, paid_until: until, renews, next_level: next, grace_until: grace } = membership;
  const named = { level: t(`level.${level}`) };
  if (state === 'ended') {
    return <p className="text-sm text-muted">{t('own.ended', named)} <Day at={until} /></p>;
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
      {!renews ? <>{t('own.cancelled', named)} <Day at={until} /></>
        : next !== null
          ? <>{t('own.lower', { ...named, next: t(`level.${next}`) })} <Day at={until} /></>
          : <>{t('own.renews', named)} <Day at={until} /> · <TokenAmount tokens={price} /></>}
    </p>
  );
}

const Day = ({ at }: { at: string }) => <Moment at={at} show="day" />;

/** Cancelling asks once, and so does going on, which costs; going down with the next month costs less. */
export function PlanButtons({ membership, name }: { membership: MembershipView; name: string }) {
  const { t } = useTranslation('fanclubs');
  const toast = useToast();
  const plan = useAction(planMembership, showPlan);
  const [asking, setAsking] = useState<'cancel' | 'resume' | null>(null);
  const { id, level, renews, next_level: next } = membership;
  const send = async (wanted: { renews: boolean; level?: FanclubLevel }, said: string) => {
    if (await plan.run({ id, ...wanted })) toast(said, 'success');
    setAsking(null);
  };
  const lower = FANCLUB_LEVELS.filter((one) => one !== level && hasLevel(level, one));
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        {renews && next === null ? null : (
          <Button busy={plan.busy} onClick={() => setAsking('resume')}>
            {t('own.resume', { level: t(`level.${level}`) })}
          </Button>
        )}
        {renews ? lower.filter((one) => one !== next).map((one) => (
          <Button key={one} tone="quiet" busy={plan.busy}
            onClick={() => void send({ renews: true, level: one }, t('own.lowered'))}>
            {t('own.goLower', { level: t(`level.${one}`) })}
          </Button>
        )) : null}
        {renews ? (
          <Button tone="quiet" busy={plan.busy} onClick={() => setAsking('cancel')}>{t('own.cancel')}</Button>
        ) : null}
      </div>
      <FormError problem={plan.problem} />
      {asking === 'cancel' ? (
        <Dialog title={t('own.cancelTitle', { name })} onClose={() => setAsking(null)}>
          <Asked onNo={() => setAsking(null)} busy={plan.busy}
            onYes={() => void send({ renews: false }, t('own.cancelDone'))}>
            {t('own.cancelText')} <Day at={membership.paid_until} />
          </Asked>
        </Dialog>
      ) : null}
      {asking === 'resume' ? (
        <ResumeDialog membership={membership} name={name} busy={plan.busy} problem={plan.problem}
          onAccept={() => void send({ renews: true }, t('own.resumed'))} onReject={() => setAsking(null)} />
      ) : null}
    </div>
  );
}

function Asked({ children, busy, onYes, onNo }: {
  children: ReactNode; busy: boolean; onYes: () => void; onNo: () => void;
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
