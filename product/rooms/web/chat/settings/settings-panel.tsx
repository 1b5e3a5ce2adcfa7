import { IconButton } from '#platform/ui/controls/button.tsx';
import { Checkbox, Select, TextField } from '#platform/ui/controls/fields.tsx';
import { Slider, type SliderProps } from '#platform/ui/controls/slider.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { FONT_FAMILIES, FONT_SIZES, type FontSize } from '#product/accounts/rules/settings.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ChatSettings } from './settings.ts';

interface SettingsPanelProps {
  readonly settings: ChatSettings;
  readonly change: (some: Partial<ChatSettings>) => void;
  /** 0 to 100. */
  readonly volume: number;
  /** Plays a sample at once and saves the volume. */
  readonly onVolume: (volume: number) => void;
  readonly onClose: () => void;
}

const FLAGS = ['hasTimes', 'hasTips', 'hasNotices', 'isCalm', 'isCompact', 'isMuted'] as const;
/** Hidden for guests, who cannot write. */
const MEMBERS_FLAGS = ['hasEmoticons'] as const;

/** Chat settings: size, typeface and colour, what is shown, and sounds. */
export default function SettingsPanel({ settings, change, volume, onVolume, onClose }: SettingsPanelProps) {
  const { t } = useTranslation('rooms');
  // The chosen value is shown until it is saved: the output of an earlier call must not move the thumb.
  const [chosen, choose] = useState<number | null>(null);
  useEffect(() => choose((item) => (item === volume ? null : item)), [volume]);
  const shown = chosen ?? volume;
  const isMember = useMe() !== null;
  const [draggedSize, setSize] = useState<FontSize | null>(null);
  const sized = draggedSize ?? settings.size;
  return (
    <section
      aria-label={t('chat.open.settings')}
      onKeyDown={(press) => (press.key === 'Escape' ? onClose() : undefined)}
      className="max-h-[60%] shrink-0 overflow-y-auto border-t border-line px-4 pt-1 pb-3
        max-lg:max-h-[40%] max-lg:min-h-24 max-lg:shrink-999 phone-landscape:max-h-[60%]"
    >
      <div className="-mr-2 flex items-center justify-between">
        <h2 className="text-sm font-bold">{t('chat.open.settings')}</h2>
        <IconButton label={t('chat.closeSettings')} onClick={onClose}>
          <X size={20} aria-hidden />
        </IconButton>
      </div>
      <Range
        label={t('chat.setting.size')}
        value={FONT_SIZES.indexOf(sized)}
        min={0}
        max={FONT_SIZES.length - 1}
        text={t(`chat.setting.sizes.${sized}`)}
        onChange={(at) => setSize(FONT_SIZES[at] ?? sized)}
        onDone={(at) => {
          setSize(null);
          change({ size: FONT_SIZES[at] ?? sized });
        }}
      />
      <Select
        label={t('chat.setting.font')}
        value={settings.font}
        options={FONT_FAMILIES.map((font) => ({ value: font, text: t(`chat.setting.fonts.${font}`) }))}
        onChange={({ target }) =>
          change({ font: FONT_FAMILIES.find((font) => font === target.value) ?? settings.font })}
      />
      <Range
        label={t('chat.setting.volume')}
        value={shown}
        min={0}
        max={100}
        step={5}
        text={t('chat.setting.percent', { count: shown })}
        onChange={choose}
        onDone={(last) => (last === volume ? choose(null) : onVolume(last))}
      />
      {isMember
        ? (
          <TextField
            type="color"
            label={t('chat.setting.color')}
            value={settings.textColor}
            onChange={({ target }) => change({ textColor: target.value })}
          />
        )
        : null}
      {[...FLAGS, ...isMember ? MEMBERS_FLAGS : []].map((flag) => (
        <Checkbox
          key={flag}
          label={t(`chat.setting.${flag}`)}
          checked={settings[flag]}
          onChange={(press) => change({ [flag]: press.target.checked })}
        />
      ))}
    </section>
  );
}

interface RangeProps extends Omit<SliderProps, 'text'> {
  /** The value as text. */
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
