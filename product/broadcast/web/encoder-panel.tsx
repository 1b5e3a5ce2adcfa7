import { Copy, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { useAction } from '../../../platform/ui/calls/calls.ts';
import { Button } from '../../../platform/ui/controls/button.tsx';
import { FormError } from '../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '../../../platform/ui/text/amounts.tsx';
import { rotateStreamKey } from '../contract.ts';

interface EncoderPanelProps {
  readonly hasKey: boolean;
  readonly madeAt: string | null;
  readonly whipUrl: string;
}

/** Going live from OBS or another encoder: address and stream key. The key is shown once. */
export function EncoderPanel({ hasKey, madeAt, whipUrl }: EncoderPanelProps) {
  const { t } = useTranslation('broadcast');
  const rotate = useAction(rotateStreamKey);
  const [key, setKey] = useState<string | null>(null);
  const make = async () => setKey((await rotate.run({}))?.stream_key ?? null);
  return (
    <section aria-labelledby="encoder-title" className="flex flex-col gap-4">
      <h2 id="encoder-title" className="text-lg font-bold">{t('encoder.title')}</h2>
      <p className="text-sm text-muted">{t('encoder.text')}</p>
      <CopyLine label={t('encoder.address')} value={whipUrl} />
      {key ? <CopyLine label={t('encoder.key')} value={key} hint={t('encoder.once')} /> : null}
      {hasKey && madeAt && !key ? (
        <p className="text-sm text-muted">{t('encoder.made')} <RelativeTime at={madeAt} /></p>
      ) : null}
      <FormError problem={rotate.problem} />
      <div>
        <Button icon={<KeyRound size={20} aria-hidden />} busy={rotate.busy} onClick={() => void make()}>
          {hasKey ? t('encoder.rotate') : t('encoder.make')}
        </Button>
      </div>
      {hasKey ? <p className="text-sm text-muted">{t('encoder.rotateText')}</p> : null}
    </section>
  );
}

function CopyLine({ label, value, hint }: { label: string; value: string; hint?: string }) {
  const { t } = useTranslation('broadcast');
  const toast = useToast();
  const copy = () => navigator.clipboard.writeText(value)
    .then(() => toast(t('encoder.copied'), 'success'), () => toast(t('encoder.copyFailed'), 'error'));
  return (
    <div>
      <p className="text-sm font-medium">{label}</p>
      <div className="flex items-center gap-2">
        <code className="min-w-0 grow rounded-control bg-raised px-3 py-2 text-sm break-all">{value}</code>
        <Button icon={<Copy size={20} aria-hidden />} onClick={() => void copy()}>{t('encoder.copy')}</Button>
      </div>
      {hint ? <p className="text-sm text-warning-text">{hint}</p> : null}
    </div>
  );
}
