import { IconButton } from '#platform/ui/controls/button.tsx';
import { PopupDialog } from '#platform/ui/controls/popups/popup.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { X } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode, type RefObject } from 'react';
import { isHd, QUALITIES, STREAM_TYPES } from '../../rules.ts';
import { withSaver, type PlayerChoices } from '../playing/choices.ts';
import { formatLatency } from '../playing/latency.ts';
import type { PlaybackSnapshot } from '../playing/playback.ts';

interface SettingsProps {
  readonly choices: PlayerChoices;
  readonly onChoose: (choices: PlayerChoices) => void;
  readonly onClose: () => void;
  readonly snapshot: PlaybackSnapshot;
  readonly video: HTMLVideoElement | null;
  /** How far the video is behind live, in ms. */
  readonly delayMs: number | null;
}

/** WebRTC first: it has the lowest latency. */
const TRANSPORTS = STREAM_TYPES.toReversed();

/** Quality, transport and data saving: a popup beside its button, on phones at the bottom of the screen. */
export function PlayerSettings({ button, ...settings }: SettingsProps & {
  /** The button that opened the settings. */
  readonly button: RefObject<HTMLElement | null>;
}) {
  const { t } = useTranslation('broadcast');
  return (
    // The library sets the position on the element, which a phone overrides.
    <PopupDialog
      label={t('settings.title')}
      button={button}
      placement="top end"
      onClose={settings.onClose}
      className="p-4 text-sm max-sm:fixed! max-sm:inset-x-0! max-sm:top-auto! max-sm:bottom-0!
        max-sm:max-h-[80dvh]! max-sm:rounded-t-card max-sm:border-t sm:w-80 sm:rounded-card sm:border"
    >
      <Settings {...settings} />
    </PopupDialog>
  );
}

function Settings({ choices, onChoose, onClose, snapshot, video, delayMs }: SettingsProps) {
  const { t } = useTranslation('broadcast');
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    panel.current?.querySelector<HTMLElement>('input:checked')?.focus({ preventScroll: true });
  }, []);
  const { state } = snapshot;
  const best = choices.quality === 'hd' && isHd(video?.videoHeight ?? 0) ? 'hd' : 'original';
  const isOneSize = snapshot.renditions.length === 0;
  return (
    <div ref={panel} onDoubleClick={(press) => press.stopPropagation()}>
      <div className="-mt-2 -mr-2 flex items-center justify-between">
        <h2 className="font-bold">{t('settings.title')}</h2>
        <IconButton label={t('settings.close')} onClick={onClose}>
          <X size={20} aria-hidden />
        </IconButton>
      </div>
      <Group legend={t('settings.quality')}>
        {QUALITIES.map((quality) => (
          <Choice
            key={quality}
            name={`${id}-quality`}
            checked={choices.quality === quality}
            text={t(quality === 'hd' ? `settings.${best}` : 'settings.sd')}
            hint={t(
              quality === 'hd'
                ? `settings.${best}Hint`
                : isOneSize
                ? 'settings.oneSize'
                : 'settings.sdHint',
            )}
            onChoose={() => onChoose({ ...choices, quality })}
          />
        ))}
      </Group>
      <Group legend={t('settings.way')}>
        {TRANSPORTS.map((streamType) => (
          <Choice
            key={streamType}
            name={`${id}-way`}
            checked={choices.streamType === streamType}
            isOff={!state.can[streamType]}
            text={t(`settings.${streamType}`)}
            hint={t(state.can[streamType] ? `settings.${streamType}Hint` : 'settings.notHere')}
            onChoose={() => onChoose({ ...choices, streamType })}
          />
        ))}
      </Group>
      <label className="flex min-h-11 items-start gap-3 py-2">
        <input
          type="checkbox"
          checked={choices.saver}
          className={BOX}
          onChange={(change) => onChoose(withSaver(choices, change.target.checked))}
        />
        <span>
          {t('settings.saver')}
          <span className="block text-xs text-muted">{t('settings.saverHint')}</span>
        </span>
      </label>
      <Measurements snapshot={snapshot} video={video} delayMs={delayMs} />
    </div>
  );
}

const BOX = 'mt-0.5 size-5 shrink-0 accent-(--brand-pink)';

function Group({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className="border-b border-line pb-2">
      <legend className="pt-2 text-xs text-muted">{legend}</legend>
      {children}
    </fieldset>
  );
}

function Choice({ name, checked, text, hint, isOff, onChoose }: {
  name: string;
  checked: boolean;
  text: string;
  hint: string;
  isOff?: boolean;
  onChoose: () => void;
}) {
  return (
    <label className="flex min-h-11 items-start gap-3 py-2 has-disabled:opacity-60">
      <input
        type="radio"
        name={name}
        checked={checked}
        disabled={isOff}
        onChange={onChoose}
        className={BOX}
      />
      <span>
        {text}
        <span className="block text-xs text-muted">{hint}</span>
      </span>
    </label>
  );
}

/** Current transport, size and latency. */
function Measurements({ snapshot, video, delayMs }: Pick<SettingsProps, 'snapshot' | 'video' | 'delayMs'>) {
  const { t, i18n } = useTranslation('broadcast');
  const seconds = delayMs === null ? null : formatLatency(delayMs, i18n.language);
  const shown = snapshot.state.shown;
  const size = video?.videoWidth ? `${video.videoWidth} × ${video.videoHeight}` : null;
  return (
    <dl className="tabular grid grid-cols-[auto_1fr] gap-x-4 border-t border-line pt-2 text-xs text-muted
      [&_dd]:text-right">
      <dt>{t('settings.now')}</dt>
      <dd>{shown ? t(`settings.${shown.via}`) : null}</dd>
      {size
        ? (
          <>
            <dt>{t('settings.size')}</dt>
            <dd>{size}</dd>
          </>
        )
        : null}
      {seconds
        ? (
          <>
            <dt>{t('settings.delay')}</dt>
            <dd>{t('settings.seconds', { seconds })}</dd>
          </>
        )
        : null}
    </dl>
  );
}
