import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Checkbox, Select } from '../../../../../platform/ui/controls/fields.tsx';
import { IconButton } from '../../../../../platform/ui/controls/button.tsx';
import { Slider, type SliderProps } from '../../../../../platform/ui/controls/slider.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { CHAT_FONTS, CHAT_SIZES_PX, type ChatSettings } from './settings.ts';

interface SettingsPanelProps {
  readonly settings: ChatSettings;
  readonly change: (some: Partial<ChatSettings>) => void;
  /** 0 to 100. */
  readonly volume: number;
  /** Plays a sample at once and saves the volume. */
  readonly onVolume: (volume: number) => void;
  readonly onClose: () => void;
}

const FLAGS = ['hasTimes', 'hasTips', 'hasNotices', 'isCompact', 'isMuted'] as const;

/** Chat settings: size and typeface, what is shown, and sounds. */
export default function SettingsPanel({ settings, change, volume, onVolume, onClose }: SettingsPanelProps) {
  const { t } = useTranslation('rooms');
  // What was chosen is shown until it is saved: the answer to an earlier choice must not move the thumb.
  const [chosen, choose] = useState<number | null>(null);
  useEffect(() => choose((one) => (one === volume ? null : one)), [volume]);
  const shown = chosen ?? volume;
  return (
    <section aria-label={t('chat.open.settings')}
      onKeyDown={(press) => (press.key === 'Escape' ? onClose() : undefined)}
      className="max-h-[60%] shrink-0 overflow-y-auto border-t border-line px-4 pt-1 pb-3">
      <div className="-mr-2 flex items-center justify-between">
        <h2 className="text-sm font-bold">{t('chat.open.settings')}</h2>
        <IconButton label={t('chat.closeSettings')} onClick={onClose}><X size={20} aria-hidden /></IconButton>
      </div>
      <Range label={t('chat.setting.size')} value={settings.sizePx} min={CHAT_SIZES_PX[0]}
        max={CHAT_SIZES_PX[CHAT_SIZES_PX.length - 1] ?? CHAT_SIZES_PX[0]}
        text={t('chat.setting.pixels', { count: settings.sizePx })}
        onChange={(chosen) =>
          change({ sizePx: CHAT_SIZES_PX.find((size) => size === chosen) ?? settings.sizePx })} />
      <Select label={t('chat.setting.font')} value={settings.font}
        options={CHAT_FONTS.map((font) => ({ value: font, text: t(`chat.setting.fonts.${font}`) }))}
        onChange={({ target }) =>
          change({ font: CHAT_FONTS.find((font) => font === target.value) ?? settings.font })} />
      <Range label={t('chat.setting.volume')} value={shown} min={0} max={100} step={5}
        text={t('chat.setting.percent', { count: shown })} onChange={choose}
        onDone={(last) => (last === volume ? choose(null) : onVolume(last))} />
      {FLAGS.map((flag) => (
        <Checkbox key={flag} label={t(`chat.setting.${flag}`)} checked={settings[flag]}
          onChange={(press) => change({ [flag]: press.target.checked })} />
      ))}
    </section>
  );
}

interface RangeProps extends Omit<SliderProps, 'text'> {
  /** The value in words. */
  readonly text: string;
}

function Range({ label, text, ...slider }: RangeProps) {
  return (
    <div className="flex min-h-11 items-center gap-3 text-sm">
      <span aria-hidden className="w-2/5 shrink-0">{label}</span>
      <Slider label={label} text={text} {...slider} />
      <span aria-hidden className="tabular w-12 text-right text-muted">{text}</span>
    </div>
  );
}
