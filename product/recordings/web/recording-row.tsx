import { useAction, useCallAddress } from '#platform/ui/calls/calls.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { clockText, sizeText } from '#platform/ui/text/measures.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Download, MonitorPlay, Play, Trash2, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { deleteRecording, getRecordingFile, setOfflineVideo } from '../client.ts';
import { saveRecording } from './download.ts';
import { useReloadRecordings, type OwnRecording } from './live.ts';

/** Texts for recordings of shows: the kind of show, and who can no longer watch after a deletion. */
const SHOWS = {
  limited: { pill: 'state.ticketShow', lost: 'delete.isTicketShow' },
  private: { pill: 'state.privateShow', lost: 'delete.isPrivateShow' },
} as const;

interface RecordingRowProps {
  readonly recording: OwnRecording;
  readonly isPlaying: boolean;
  readonly onPlay: () => void;
}

/** One recording with its actions, and its player while playing. */
export function RecordingRow({ recording, isPlaying, onPlay }: RecordingRowProps) {
  const { t, i18n } = useTranslation('recordings');
  const name = useName(recording);
  const addressOf = useCallAddress();
  const isRunning = recording.state === 'recording';
  return (
    <li className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <IconButton
          label={t(isPlaying ? 'row.close' : 'row.play', { name })}
          disabled={isRunning}
          pressed={isPlaying}
          onClick={onPlay}
        >
          {isPlaying ? <X size={20} aria-hidden /> : <Play size={20} aria-hidden />}
        </IconButton>
        <div className="min-w-40 grow basis-0">
          <p className="font-medium break-words">{name}</p>
          <p className="tabular flex flex-wrap gap-x-3 text-sm text-muted">
            <RelativeTime at={recording.startedAt} />
            <span>{clockText(recording.seconds)}</span>
            <span>{sizeText(recording.bytes, i18n.language)}</span>
            {recording.height ? <span>{t('row.lines', { height: recording.height })}</span> : null}
          </p>
        </div>
        <States recording={recording} />
        <div className="flex">
          {recording.mode === 'public' ? <OfflineToggle recording={recording} name={name} /> : null}
          <SaveButton recording={recording} name={name} />
          <DeleteButton recording={recording} name={name} />
        </div>
      </div>
      {isPlaying
        ? (
          <video
            controls
            autoPlay
            playsInline
            src={addressOf(getRecordingFile, { id: recording.id })}
            aria-label={name}
            className="aspect-video max-h-[70dvh] w-full rounded-card bg-black"
          />
        )
        : null}
    </li>
  );
}

/** The topic; without one, date and time. */
function useName({ title, startedAt }: OwnRecording): string {
  const { t, i18n } = useTranslation('recordings');
  if (title !== '') return title;
  const at = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
    .format(new Date(startedAt));
  return t('row.of', { at });
}

function States({ recording }: { recording: OwnRecording }) {
  const { t } = useTranslation('recordings');
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {recording.state === 'recording' ? <Pill tone="live">{t('state.recording')}</Pill> : null}
      {recording.state === 'interrupted' ? <Pill tone="warning">{t('state.interrupted')}</Pill> : null}
      {recording.mode === 'public' ? null : <Pill tone="private">{t(SHOWS[recording.mode].pill)}</Pill>}
      {recording.isOfflineVideo ? <Pill tone="private">{t('state.offlineVideo')}</Pill> : null}
    </div>
  );
}

interface Doing {
  readonly recording: OwnRecording;
  readonly name: string;
}

function OfflineToggle({ recording: { id, isOfflineVideo, state }, name }: Doing) {
  const { t } = useTranslation('recordings');
  const toast = useToast();
  const reload = useReloadRecordings();
  const choose = useAction(setOfflineVideo);
  const change = async () => {
    const done = await choose.run({ recording_id: isOfflineVideo ? null : id });
    if (done) toast(t(isOfflineVideo ? 'row.offlineOff' : 'row.offlineOn'), 'success');
    else toast(t('row.failed'), 'error');
    await reload();
  };
  return (
    <IconButton
      label={t('row.offline', { name })}
      pressed={isOfflineVideo}
      disabled={state === 'recording'}
      onClick={() => void change()}
    >
      <MonitorPlay size={20} aria-hidden />
    </IconButton>
  );
}

/** Downloads the file and shows the progress; stops on a second click and on unmount. */
function SaveButton({ recording: { id, state }, name }: Doing) {
  const { t } = useTranslation('recordings');
  const toast = useToast();
  const addressOf = useCallAddress();
  const [share, setShare] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const save = async () => {
    const control = new AbortController();
    running.current = control;
    setShare(0);
    try {
      await saveRecording(addressOf(getRecordingFile, { id, download: '1' }), setShare, control.signal);
    } catch {
      if (!control.signal.aborted) toast(t('row.saveFailed'), 'error');
    }
    setShare(null);
  };
  if (share !== null) {
    const percent = Math.round(share * 100);
    return (
      <button
        type="button"
        onClick={() => running.current?.abort()}
        aria-label={t('row.stopSaving', { name, percent })}
        className="tabular inline-flex size-11 items-center justify-center rounded-control text-xs text-accent
          hover:bg-raised"
      >
        {t('row.percent', { percent })}
      </button>
    );
  }
  return (
    <IconButton
      label={t('row.save', { name })}
      disabled={state === 'recording'}
      onClick={() => void save()}
    >
      <Download size={20} aria-hidden />
    </IconButton>
  );
}

function DeleteButton({ recording, name }: Doing) {
  const { t, i18n } = useTranslation('recordings');
  const toast = useToast();
  const reload = useReloadRecordings();
  const remove = useAction(deleteRecording);
  const [asking, setAsking] = useState(false);
  const confirm = async () => {
    if (!(await remove.run({ id: recording.id }))) return;
    setAsking(false);
    toast(t('delete.done'), 'success');
    await reload();
  };
  const values = {
    name,
    time: clockText(recording.seconds),
    size: sizeText(recording.bytes, i18n.language),
  };
  return (
    <>
      <IconButton label={t('row.delete', { name })} onClick={() => setAsking(true)}>
        <Trash2 size={20} aria-hidden />
      </IconButton>
      {asking
        ? (
          <ConfirmDialog
            title={t('delete.title')}
            accept={t('delete.confirm')}
            reject={t('delete.keep')}
            tone="danger"
            busy={remove.busy}
            onAccept={() => void confirm()}
            onReject={() => setAsking(false)}
          >
            <p>{t(recording.state === 'recording' ? 'delete.textRunning' : 'delete.text', values)}</p>
            {recording.mode === 'public'
              ? null
              : <p className="pt-2 text-sm">{t(SHOWS[recording.mode].lost)}</p>}
            {recording.isOfflineVideo ? <p className="pt-2 text-sm">{t('delete.isOffline')}</p> : null}
            <FormError problem={remove.problem} />
          </ConfirmDialog>
        )
        : null}
    </>
  );
}
