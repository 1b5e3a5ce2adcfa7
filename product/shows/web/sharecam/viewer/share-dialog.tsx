import { problemOf, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select } from '#platform/ui/controls/fields.tsx';
import { useFields } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { Camera } from '#product/broadcast/web/publish/camera.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useEffect, useState, type ReactNode } from 'react';
import { requestSharecam } from '../../../client.ts';
import { SHARECAM_MODES, type SharecamMode } from '../../../rules/sharecam.ts';
import { Cost, useMinutes } from '../../private/amounts.tsx';
import { showAsked, useBars, useSharecamAgain, useSharecamCheck } from '../live.ts';
import { CameraTroubleText, MuteButton, OwnPicture } from './own-picture.tsx';

interface ShareDialogProps extends Pick<PagePartProps, 'room' | 'onMoneyPrompt'> {
  readonly camera: Camera;
  readonly isMuted: boolean;
  readonly onMute: (isMuted: boolean) => void;
  readonly onClose: () => void;
}

/** The viewer's own video first, then who will see it, what it costs, and the request. */
export default function ShareDialog(props: ShareDialogProps) {
  const { t } = useTranslation('shows');
  const { room: { user: { username, displayName: name } }, camera: { open, media }, onClose } = props;
  const again = useSharecamAgain(username);
  useEffect(() => {
    // Prices and the balance may have changed since the page was loaded.
    again();
    if (media === null) void open();
    // Once: a viewer who refused the camera is not asked again automatically.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <Dialog title={t('sharecam.askTitle', { name })} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <OwnDevices {...props} />
        <p>{t('sharecam.promise', { name })}</p>
        <RequestForm {...props} />
      </div>
    </Dialog>
  );
}

const options = (devices: readonly MediaDeviceInfo[], unnamed: (number: number) => string) =>
  devices.map((device, at) => ({ value: device.deviceId, text: device.label || unnamed(at + 1) }));

function OwnDevices({ camera, isMuted, onMute }: Pick<ShareDialogProps, 'camera' | 'isMuted' | 'onMute'>) {
  const { t } = useTranslation('broadcast');
  const { media, trouble, asking, cameras, microphones, cameraId, microphoneId, open } = camera;
  return (
    <>
      <OwnPicture media={media} />
      <CameraTroubleText trouble={trouble} />
      {media === null
        ? <Button busy={asking} onClick={() => void open()}>{t('openCamera')}</Button>
        : (
          <div className="grid items-end gap-4 sm:grid-cols-[1fr_1fr_auto]">
            <Select
              label={t('cameraChoice')}
              value={cameraId}
              options={options(cameras, (number) => t('unnamedCamera', { number }))}
              onChange={({ target }) => void open({ camera: target.value, microphone: microphoneId })}
            />
            <Select
              label={t('microphoneChoice')}
              value={microphoneId}
              options={options(microphones, (number) => t('unnamedMicrophone', { number }))}
              onChange={({ target }) => void open({ camera: cameraId, microphone: target.value })}
            />
            <MuteButton isMuted={isMuted} onMute={onMute} />
          </div>
        )}
    </>
  );
}

function RequestForm(props: ShareDialogProps) {
  const { t } = useTranslation('shows');
  const { room } = props;
  const read = useSharecamCheck(room);
  const bars = useBars(room);
  const modes = SHARECAM_MODES.filter((text) => bars[text] === null);
  const [chosen, setChosen] = useState<SharecamMode | null>(null);
  // In a private show the camera is free, and there is no other choice.
  const mode = chosen !== null && modes.includes(chosen) ? chosen : modes[0];
  if (mode === undefined) return <p role="alert">{t('sharecam.unavailable')}</p>;
  return (
    <Loaded read={read} height="h-48">
      {(check) => (
        <>
          {modes.length > 1
            ? (
              <Select
                label={t('sharecam.mode.label')}
                value={mode}
                options={modes.map((item) => ({ value: item, text: t(`sharecam.mode.${item}`) }))}
                onChange={({ target }) => setChosen(target.value as SharecamMode)}
              />
            )
            : null}
          <AskForm {...props} mode={mode} check={check} />
        </>
      )}
    </Loaded>
  );
}

interface AskFormProps extends ShareDialogProps {
  readonly mode: SharecamMode;
  readonly check: NonNullable<ReturnType<typeof useSharecamCheck>['data']>;
}

/** The request at its mode's price, sent once the viewer has confirmed to be an adult. */
function useRequest({ room: { user: { username } }, mode, check, onClose }: AskFormProps) {
  const { t } = useTranslation('shows');
  const call = useCall();
  const cache = useCache();
  const again = useSharecamAgain(username);
  return useFields({
    read: (fields) => ({ adult: fields.has('adult') }),
    check: (
      { adult },
    ): Readonly<Record<string, string>> => (adult ? {} : { adult: t('sharecam.adultMissing') }),
    onSubmit: async ({ adult }) => {
      try {
        const price = check[mode].cost_per_minute;
        showAsked(cache, await call(requestSharecam, { username, mode, price, adult }));
        onClose();
        return null;
      } catch (error) {
        // What was shown may be out of date.
        again();
        return problemOf(error);
      }
    },
  });
}

function AskForm(props: AskFormProps) {
  const { t, i18n } = useTranslation('shows');
  const { room, camera, mode, check, onMoneyPrompt } = props;
  const { displayName: name } = room.user;
  const minutes = useMinutes();
  const form = useRequest(props);
  const price = check[mode].cost_per_minute;
  const missing = price - check.tokens;
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <dl className="flex flex-col gap-2 rounded-control bg-raised px-4 py-3">
        <Row name={t('private.price')}>
          {price === 0 ? t('sharecam.isFree') : <Cost tokens={price} perMinute />}
        </Row>
        {price === 0 ? null : (
          <Row name={t('private.lasts')}>
            <span className="tabular">{minutes(check.seconds)}</span>
          </Row>
        )}
      </dl>
      {mode === 'private' && room.chat.mode !== 'private'
        ? <p className="text-sm text-muted">{t('sharecam.waitsForShow', { name })}</p>
        : null}
      {price > 0 && missing > 0
        ? (
          <>
            <p role="status">
              {t('private.short', { count: missing, missing: formatCount(missing, i18n.language) })}
            </p>
            <Button tone="primary" wide onClick={() => onMoneyPrompt('low_tokens', price)}>
              {t('private.buy')}
            </Button>
          </>
        )
        : (
          <>
            <Checkbox {...form.field('adult')} label={t('sharecam.adult', { age: check.minimum_age })} />
            <FormError problem={form.problem} />
            <Button type="submit" tone="primary" wide busy={form.busy} disabled={camera.media === null}>
              {t('private.send')}
            </Button>
            {price === 0 ? null : <p className="text-sm text-muted">{t('sharecam.fair', { name })}</p>}
          </>
        )}
    </form>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="font-bold">{children}</dd>
    </div>
  );
}
