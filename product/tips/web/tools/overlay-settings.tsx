import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CopyLine } from '#product/broadcast/web/publish/copy-line.tsx';
import { useState } from 'react';
import { makeOverlay, revokeOverlay } from '../../client.ts';
import { showNoOverlay, showOverlay } from '../live.ts';

/** The overlay's address for OBS: created, shown once, revoked. */
export default function OverlaySettings({ madeAt }: { madeAt: string | null }) {
  const { t } = useTranslation('tips');
  const toast = useToast();
  const making = useAction(makeOverlay, showOverlay);
  const revoking = useAction(revokeOverlay, showNoOverlay);
  const [address, setAddress] = useState<string | null>(null);
  const make = async () => {
    const made = await making.run({});
    if (made) setAddress(`${globalThis.location.origin}/overlay/${made.token}`);
  };
  const revoke = async () => {
    if (!(await revoking.run({}))) return;
    setAddress(null);
    toast(t('overlay.revoked'), 'success');
  };
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-muted">{t('overlay.lead')}</p>
      {address ? <CopyLine label={t('overlay.address')} value={address} hint={t('overlay.once')} /> : null}
      {madeAt && !address
        ? (
          <p className="text-sm">
            {t('overlay.madeAt')} <RelativeTime at={madeAt} />
          </p>
        )
        : null}
      <FormError problem={making.problem ?? revoking.problem} />
      <div className="flex flex-wrap gap-3">
        <Button busy={making.busy} onClick={() => void make()}>
          {t(madeAt ? 'overlay.again' : 'overlay.make')}
        </Button>
        {madeAt
          ? (
            <Button tone="danger" busy={revoking.busy} onClick={() => void revoke()}>
              {t('overlay.revoke')}
            </Button>
          )
          : null}
      </div>
    </div>
  );
}
