import { queryKeyOf, useAction, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ChevronDown, KeyRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { getOwnBroadcast, rotateStreamKey } from '../../client.ts';
import { OBS_SETTINGS } from '../../rules.ts';
import { CopyButton, CopyLine } from './copy-line.tsx';

interface EncoderPanelProps {
  readonly hasKey: boolean;
  readonly madeAt: string | null;
  readonly whipUrl: string;
  readonly rtmpUrl: string | null;
}

/** Going live from an encoder: server URLs, stream key (shown once), tested settings, troubleshooting. */
export function EncoderPanel({ hasKey, madeAt, whipUrl, rtmpUrl }: EncoderPanelProps) {
  const { t } = useTranslation('broadcast');
  return (
    <section aria-labelledby="encoder-title" className="flex flex-col gap-6">
      <div>
        <h2 id="encoder-title" className="text-lg font-bold">{t('encoder.title')}</h2>
        <p className="pt-1 text-sm text-muted">{t('encoder.text')}</p>
      </div>
      <div className="grid gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <h3 className="font-bold">{t('encoder.whereTitle')}</h3>
          {rtmpUrl ? <CopyLine label={t('encoder.rtmp')} value={rtmpUrl} /> : null}
          <CopyLine label={t('encoder.whip')} value={whipUrl} />
          <StreamKey hasKey={hasKey} madeAt={madeAt} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <h3 className="font-bold">{t('encoder.settingsTitle')}</h3>
          <SettingsTable />
        </div>
      </div>
      <Troubles />
    </section>
  );
}

function StreamKey({ hasKey, madeAt }: Pick<EncoderPanelProps, 'hasKey' | 'madeAt'>) {
  const { t } = useTranslation('broadcast');
  const cache = useCache();
  const rotate = useAction(rotateStreamKey);
  const [key, setKey] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const make = async () => {
    const made = await rotate.run({});
    setAsking(false);
    if (!made) return;
    setKey(made.stream_key);
    await cache.invalidateQueries({ queryKey: queryKeyOf(getOwnBroadcast) });
  };
  return (
    <div className="flex flex-col items-start gap-3">
      {key
        ? (
          <div className="w-full">
            <CopyLine label={t('encoder.key')} value={key} hint={t('encoder.once')} />
          </div>
        )
        : null}
      {hasKey && madeAt && !key
        ? (
          <p className="text-sm text-muted">
            {t('encoder.made')} <RelativeTime at={madeAt} />
          </p>
        )
        : null}
      <FormError problem={rotate.problem} />
      <Button
        icon={<KeyRound size={20} aria-hidden />}
        busy={rotate.busy}
        onClick={() => (hasKey ? setAsking(true) : void make())}
      >
        {hasKey ? t('encoder.rotate') : t('encoder.make')}
      </Button>
      {asking
        ? (
          <Dialog
            title={t('encoder.rotate')}
            onClose={() => setAsking(false)}
            actions={
              <>
                <Button onClick={() => setAsking(false)}>{t('encoder.keep')}</Button>
                <Button
                  tone="danger"
                  busy={rotate.busy}
                  onClick={() => void make()}
                >
                  {t('encoder.rotate')}
                </Button>
              </>
            }
          >
            <p>{t('encoder.rotateText')}</p>
          </Dialog>
        )
        : null}
    </div>
  );
}

/** Names and values as OBS shows them, in every language. */
function SettingsTable() {
  const { t } = useTranslation('broadcast');
  return (
    <table className="w-full text-sm">
      <caption className="pb-2 text-left text-muted">{t('encoder.tested')}</caption>
      <tbody lang="en">
        {OBS_SETTINGS.map(({ setting, value }) => (
          <tr key={setting} className="border-t border-line">
            <th scope="row" className="py-1 pr-3 text-left font-normal text-muted">{setting}</th>
            <td className="tabular py-1 font-medium">{value}</td>
            <td className="w-11 py-0">
              <CopyButton label={setting} value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Common problems, each with what to do in OBS. */
const TROUBLES = ['bFrames', 'noConnection', 'noSound', 'stutter'] as const;

function Troubles() {
  const { t } = useTranslation('broadcast');
  return (
    <div className="flex flex-col">
      <h3 className="pb-2 font-bold">{t('encoder.troubleTitle')}</h3>
      {TROUBLES.map((trouble) => (
        <Fold key={trouble} title={t(`encoder.trouble.${trouble}.title`)}>
          {t(`encoder.trouble.${trouble}.text`)}
        </Fold>
      ))}
    </div>
  );
}

function Fold({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="group border-t border-line">
      <summary className="flex min-h-11 list-none items-center justify-between gap-3 text-sm font-medium">
        {title}
        <ChevronDown size={20} aria-hidden className="shrink-0 transition-transform group-open:rotate-180" />
      </summary>
      <p className="max-w-prose pb-3 text-sm text-muted">{children}</p>
    </details>
  );
}
