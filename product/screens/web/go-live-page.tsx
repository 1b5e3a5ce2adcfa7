import { useState } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import type { OutputOf } from '../../../platform/contract/call.ts';
import { useRead } from '../../../platform/ui/calls/calls.ts';
import { needs, read } from '../../../platform/ui/calls/route.ts';
import { Button } from '../../../platform/ui/controls/button.tsx';
import { Card } from '../../../platform/ui/surfaces/card.tsx';
import { Title, Wide } from '../../../platform/ui/surfaces/page.tsx';
import { FormError } from '../../../platform/ui/surfaces/states.tsx';
import { getOwnBroadcast } from '../../broadcast/contract.ts';
import { useCamera } from '../../broadcast/web/camera.ts';
import { DetailsForm } from '../../broadcast/web/details-form.tsx';
import { DeviceCheck } from '../../broadcast/web/device-check.tsx';
import { EncoderPanel } from '../../broadcast/web/encoder-panel.tsx';
import { usePublisher } from '../../broadcast/web/publisher.ts';
import { ControlRoom } from './control-room.tsx';

const loadOwn = needs({ texts: ['broadcast', 'rooms', 'tips'], reads: () => [read(getOwnBroadcast, {})] });
export { loadOwn as loader, loadOwn as clientLoader };

type Own = OutputOf<typeof getOwnBroadcast>;

/**
 * Going live: camera check, topic and tags, then the control room. One page, nothing lost between the steps.
 */
export default function GoLivePage() {
  const { t } = useTranslation('screens');
  const { data: own } = useRead(getOwnBroadcast, {}, { everyMs: 5_000 });
  if (!own) return null;
  if (!own.cleared) {
    return (
      <Wide title={t('live.title')} lead={t('live.notCleared')}>
        <Link to="/account/settings" className="text-link underline">{t('live.toProfile')}</Link>
      </Wide>
    );
  }
  return <Studio own={own} />;
}

function Studio({ own }: { own: Own }) {
  const { t } = useTranslation('screens');
  const camera = useCamera();
  const publishing = usePublisher();
  const [details, setDetails] = useState({ title: own.title, tags: own.tags });
  const isOn = publishing.phase === 'connecting' || publishing.phase === 'live'
    || publishing.phase === 'reconnecting';
  // A stream from OBS, or from another tab, is steered from here too; one that was lost can be taken up
  // again.
  const isElsewhere = !isOn && own.state === 'online';
  if (isOn || isElsewhere) {
    return (
      <>
        <Title>{t('live.controlRoom')}</Title>
        <ControlRoom own={own} camera={isOn ? camera : null} publishing={publishing} />
      </>
    );
  }
  const start = () => {
    if (camera.media) publishing.start(camera.media);
  };
  return (
    <Wide title={t('live.title')} lead={t('live.lead')}>
      <div className="grid gap-6 lg:grid-cols-2">
        <Card className="p-4">
          <h2 className="pb-4 text-lg font-bold">{t('live.stepCamera')}</h2>
          <DeviceCheck camera={camera} />
        </Card>
        <div className="flex flex-col gap-6">
          <Card className="p-4">
            <h2 className="pb-4 text-lg font-bold">{t('live.stepDetails')}</h2>
            <DetailsForm title={details.title} tags={details.tags} onSaved={setDetails} />
          </Card>
          <Card className="flex flex-col gap-4 p-4">
            <h2 className="text-lg font-bold">{t('live.stepLive')}</h2>
            <FormError problem={publishing.problem} />
            <Button tone="primary" wide disabled={!camera.media} onClick={start}>{t('live.start')}</Button>
            <p className="text-sm text-muted">{camera.media ? t('live.ready') : t('live.cameraFirst')}</p>
          </Card>
        </div>
        <Card className="p-4 lg:col-span-2">
          <EncoderPanel hasKey={own.hasStreamKey} madeAt={own.streamKeyMadeAt} whipUrl={own.whipUrl} />
        </Card>
      </div>
    </Wide>
  );
}
