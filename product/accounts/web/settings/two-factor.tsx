import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { getTwoFactor } from '../../client.ts';
import { StepMissing } from '../second-step/step-missing.tsx';
import type { SectionProps } from './sections/settings-form.tsx';
import { RenewCodes, TurnOff, TurnOn } from './two-factor-dialogs.tsx';

/** With so few recovery codes left, the page suggests new ones. */
const FEW_CODES = 3;

/** Whether log-in takes a second step, and the ways to change that. */
export function TwoFactor({ me }: SectionProps) {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(getTwoFactor, {});
  const [dialog, setDialog] = useState<'on' | 'off' | 'renew' | null>(null);
  const close = () => setDialog(null);
  if (!data) {
    if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    return (
      <div aria-busy>
        <Skeleton className="h-16" />
      </div>
    );
  }
  const { is_on: isOn, recovery_codes_left: count } = data;
  return (
    <div className="flex flex-col gap-4">
      {me.user.two_factor_required_by
        ? (
          <p role="status">
            <StepMissing by={me.user.two_factor_required_by} atLogIn={me.user.two_factor_at_log_in} />
          </p>
        )
        : null}
      <p className="text-muted">{isOn ? t('twoFactor.on', { count }) : t('twoFactor.off')}</p>
      {isOn && count <= FEW_CODES ? <p role="status">{t('twoFactor.few')}</p> : null}
      <div className="flex flex-wrap gap-3">
        {isOn
          ? (
            <>
              <Button onClick={() => setDialog('renew')}>{t('twoFactor.renew')}</Button>
              <Button tone="danger" onClick={() => setDialog('off')}>{t('twoFactor.turnOff')}</Button>
            </>
          )
          : <Button tone="primary" onClick={() => setDialog('on')}>{t('twoFactor.turnOn')}</Button>}
      </div>
      {dialog === 'on' ? <TurnOn onClose={close} /> : null}
      {dialog === 'off' ? <TurnOff onClose={close} /> : null}
      {dialog === 'renew' ? <RenewCodes onClose={close} /> : null}
    </div>
  );
}
