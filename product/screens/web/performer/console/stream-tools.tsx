import type { OutputOf } from '#platform/contract/call.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { getOwnBroadcast } from '#product/broadcast/client.ts';
import type { HealthView } from '#product/broadcast/contract.ts';
import { DetailsForm } from '#product/broadcast/web/details-form.tsx';
import { useStreamerSettings, type Settings } from '#product/broadcast/web/live.ts';
import type { Camera } from '#product/broadcast/web/publish/camera.ts';
import { DeviceChoices } from '#product/broadcast/web/publish/device-check.tsx';
import { HealthStrip } from '#product/broadcast/web/publish/health-strip.tsx';
import type { Publishing } from '#product/broadcast/web/publish/publisher.ts';
import { RecordControl } from '#product/recordings/web/record-control.tsx';
import { Camera as CameraIcon, Pencil } from 'lucide-react';
import { useState } from 'react';

interface StreamToolsProps {
  readonly own: OutputOf<typeof getOwnBroadcast>;
  /** Null when the video comes from an encoder or another tab. */
  readonly camera: Camera | null;
  readonly publishing: Publishing;
  readonly history: readonly HealthView[];
  readonly lobby: Connection | null;
  readonly settings: Settings;
  /** Upload speed in kbit/s, as measured before the show; null if it was not. */
  readonly uploadKilobits: number | null;
}

/** The stream itself: topic, camera and audio, recording, and health. Forms open on demand. */
export function StreamTools(
  { own, camera, publishing, history, lobby, settings, uploadKilobits }: StreamToolsProps,
) {
  const { t } = useTranslation('screens');
  const { save } = useStreamerSettings();
  const [open, setOpen] = useState<'details' | 'camera' | null>(null);
  const close = () => setOpen(null);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-2">
        <Button
          icon={<Pencil size={20} aria-hidden />}
          aria-haspopup="dialog"
          onClick={() => setOpen('details')}
        >
          {t('live.details')}
        </Button>
        {camera
          ? (
            <Button
              icon={<CameraIcon size={20} aria-hidden />}
              aria-haspopup="dialog"
              onClick={() => setOpen('camera')}
            >
              {t('console.camera')}
            </Button>
          )
          : null}
        <RecordControl lobby={lobby} canRecord={own.state === 'online'} />
      </div>
      <HealthStrip health={own.health} history={history} />
      {open === 'details'
        ? (
          <Dialog title={t('live.details')} onClose={close}>
            <DetailsForm title={own.title} tags={own.tags} onSaved={close} />
          </Dialog>
        )
        : null}
      {open === 'camera' && camera
        ? (
          <Dialog title={t('console.camera')} onClose={close}>
            <DeviceChoices
              camera={camera}
              cam={settings.cam}
              uploadKilobits={uploadKilobits}
              onChange={publishing.replaceMedia}
              onBitrate={publishing.setBitrate}
              onUsed={(cam) => void save({ cam })}
            />
          </Dialog>
        )
        : null}
    </div>
  );
}
