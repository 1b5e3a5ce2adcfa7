import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { endDevice, listDevices, logoutEverywhere } from '../../client.ts';
import type { DeviceView } from '../../contract/devices.ts';
import { useLogout } from '../logout.ts';
import { showDevices } from './live.ts';

/** Where the person is logged in; each device can be logged out, or all of them. */
export function Devices() {
  const { t } = useTranslation('accounts');
  const logout = useLogout();
  const [asking, setAsking] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <DeviceList />
      <div className="flex flex-wrap gap-3">
        <Button busy={logout.busy} onClick={logout.run}>{t('logout')}</Button>
        <Button tone="danger" onClick={() => setAsking(true)}>{t('settings.logoutEverywhere')}</Button>
      </div>
      {asking ? <LogoutEverywhere onClose={() => setAsking(false)} /> : null}
    </div>
  );
}

function DeviceList() {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(listDevices, {});
  const end = useAction(endDevice, showDevices);
  if (!data) {
    if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    return (
      <div aria-busy>
        <Skeleton className="h-16" />
      </div>
    );
  }
  return (
    <>
      <ul aria-label={t('settings.sessions')} className="flex flex-col divide-y divide-line">
        {data.sessions.map((device) => (
          <DeviceRow
            key={device.id}
            device={device}
            busy={end.busy}
            onEnd={() => void end.run({ id: device.id })}
          />
        ))}
      </ul>
      <FormError problem={end.problem} />
    </>
  );
}

interface DeviceRowProps {
  readonly device: DeviceView;
  readonly busy: boolean;
  readonly onEnd: () => void;
}

function DeviceRow({ device, busy, onEnd }: DeviceRowProps) {
  const { t, i18n } = useTranslation('accounts');
  const { browser, platform, isoCode, state } = device;
  const name = [browser, platform].filter((part) => part !== '').join(' · ') || t('settings.unknownDevice');
  const country = isoCode === null
    ? t('settings.unknownPlace')
    : new Intl.DisplayNames(i18n.language, { type: 'region' }).of(isoCode) ?? isoCode;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0">
        <p className="font-medium">{name}</p>
        <p className="text-sm text-muted">
          {state === null ? country : `${country}, ${state}`} · {t('settings.loggedIn')}{' '}
          <RelativeTime at={device.started_at} />
        </p>
      </div>
      {device.is_current
        ? <span className="text-sm font-medium text-muted">{t('settings.thisDevice')}</span>
        : (
          <Button busy={busy} onClick={onEnd} aria-label={t('settings.logoutDevice', { name })}>
            {t('settings.logoutOne')}
          </Button>
        )}
    </li>
  );
}

function LogoutEverywhere({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('accounts');
  const everywhere = useAction(logoutEverywhere);
  return (
    <Dialog
      title={t('settings.logoutEverywhere')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('settings.cancel')}</Button>
          <Button
            tone="danger"
            busy={everywhere.busy}
            onClick={() => void everywhere.run({}).then((done) => done && location.assign('/'))}
          >
            {t('settings.logoutEverywhere')}
          </Button>
        </>
      }
    >
      <p>{t('settings.logoutEverywhereText')}</p>
      <FormError problem={everywhere.problem} />
    </Dialog>
  );
}
