import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { clockText, sizeText } from '#platform/ui/text/measures.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsSince } from '#platform/ui/time/countdown.ts';
import { Circle, Square } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { startRecording, stopRecording } from '../client.ts';
import { RECORDING_CONSENT_VERSION } from '../rules.ts';
import { useRecordings, useReloadRecordings, type Listed, type OwnRecording } from './live.ts';
import { SpaceNotice } from './space-bar.tsx';

/** Starts and stops a recording; shows its time, its size and the remaining space. */
export function RecordControl({ lobby, canRecord }: {
  lobby: Connection | null;
  /** Whether a broadcast is on air. */
  canRecord: boolean;
}) {
  const { t } = useTranslation('recordings');
  const read = useRecordings(lobby);
  const { data: listed } = read;
  if (!listed) return <ReadError read={read} />;
  const running = listed.recordings.find(({ id }) => id === listed.running) ?? null;
  return (
    <section aria-label={t('control.title')} className="flex flex-col gap-3">
      {listed.running === null
        ? <Begin space={listed.space} canRecord={canRecord} />
        : <Runs running={running} />}
      <SpaceNotice state={listed.space.state} />
      {listed.space.state === 'ok'
        ? null
        : <Link to="/account/recordings" className="text-sm text-link underline">{t('control.toList')}</Link>}
    </section>
  );
}

function Begin({ space, canRecord }: { space: Listed['space']; canRecord: boolean }) {
  const { t } = useTranslation('recordings');
  const [asking, setAsking] = useState(false);
  return (
    <>
      <div>
        <Button
          icon={<Circle size={20} aria-hidden className="text-danger" />}
          disabled={!canRecord || space.state === 'full'}
          onClick={() => setAsking(true)}
        >
          {t('control.record')}
        </Button>
      </div>
      {asking ? <ConsentDialog onClose={() => setAsking(false)} /> : null}
    </>
  );
}

/** Asks for consent to this recording. */
function ConsentDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('recordings');
  const reload = useReloadRecordings();
  const start = useAction(startRecording);
  const [consent, setConsent] = useState(false);
  const begin = async () => {
    const begun = await start.run({ consent, consent_version: RECORDING_CONSENT_VERSION });
    await reload();
    if (begun) onClose();
  };
  return (
    <Dialog
      title={t('consent.title')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('consent.no')}</Button>
          <Button
            tone="primary"
            disabled={!consent}
            busy={start.busy}
            onClick={() => void begin()}
          >
            {t('consent.start')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm">{t('consentText')}</p>
        <Checkbox
          label={t('consent.agree')}
          checked={consent}
          onChange={({ target }) => setConsent(target.checked)}
        />
        <FormError problem={start.problem} />
      </div>
    </Dialog>
  );
}

const SHOW_TEXTS = { limited: 'control.runningShow', private: 'control.runningPrivate' } as const;

function Runs({ running }: { running: OwnRecording | null }) {
  const { t, i18n } = useTranslation('recordings');
  const toast = useToast();
  const reload = useReloadRecordings();
  const stop = useAction(stopRecording);
  // A show's recording ends with the show.
  const show = running && running.mode !== 'public' ? SHOW_TEXTS[running.mode] : null;
  const end = async () => {
    if (await stop.run({})) toast(t('control.saved'), 'success');
    await reload();
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {show
        ? null
        : (
          <Button icon={<Square size={20} aria-hidden />} busy={stop.busy} onClick={() => void end()}>
            {t('control.stop')}
          </Button>
        )}
      <p className="tabular flex items-center gap-2 text-sm">
        <Circle size={12} aria-hidden fill="currentColor" className="text-danger" />
        <span>{t(show ?? 'control.running')}</span>
        {running ? <Elapsed since={running.startedAt} /> : null}
        {running ? <span className="text-muted">{sizeText(running.bytes, i18n.language)}</span> : null}
      </p>
      <FormError problem={stop.problem} />
    </div>
  );
}

function Elapsed({ since }: { since: string }) {
  const seconds = useSecondsSince(since);
  return <span role="timer">{clockText(seconds ?? 0)}</span>;
}
