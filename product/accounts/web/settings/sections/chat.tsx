import { Checkbox, Select, TextField } from '#platform/ui/controls/fields.tsx';
import { Slider } from '#platform/ui/controls/slider.tsx';
import { textOf } from '#platform/ui/forms/form.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import type { SettingsInput } from '../../../contract/settings.ts';
import { CHAT_NOTICES, CHAT_USER_SORTS, FONT_FAMILIES, FONT_SIZES, wordOf } from '../../../rules/settings.ts';
import { choiceIn, SettingsForm, type SectionProps } from './settings-form.tsx';

/** How chat looks and sounds for this person, in every room and on every device. */
export function ChatSection({ me: { settings } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const [volume, setVolume] = useState<number | null>(null);
  const percent = volume ?? settings.volume_tip;
  const read = (fields: FormData): SettingsInput => ({
    ...choiceIn(fields, 'font_family', FONT_FAMILIES),
    ...choiceIn(fields, 'font_size', FONT_SIZES),
    ...choiceIn(fields, 'chat_notice', CHAT_NOTICES),
    ...choiceIn(fields, 'chat_user_sort', CHAT_USER_SORTS),
    text_color: textOf(fields, 'text_color'),
    chat_emoticons: wordOf(fields.has('chat_emoticons')),
    volume_tip: percent,
    calm_mode: fields.has('calm_mode'),
  });
  return (
    <SettingsForm
      read={read}
      shown={{
        font_family: settings.font_family,
        font_size: settings.font_size,
        text_color: settings.text_color,
        chat_notice: settings.chat_notice,
        chat_user_sort: settings.chat_user_sort,
        chat_emoticons: settings.chat_emoticons === 'YES',
        calm_mode: settings.calm_mode,
      }}
    >
      {({ field }) => (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Select
              {...field('font_family')}
              label={t('settings.chat.font')}
              defaultValue={settings.font_family}
              options={FONT_FAMILIES.map((value) => ({ value, text: t(`settings.chat.fonts.${value}`) }))}
            />
            <Select
              {...field('font_size')}
              label={t('settings.chat.size')}
              defaultValue={settings.font_size}
              options={FONT_SIZES.map((value) => ({ value, text: t(`settings.chat.sizes.${value}`) }))}
            />
            <TextField
              {...field('text_color')}
              type="color"
              label={t('settings.chat.color')}
              hint={t('settings.chat.colorHint')}
              defaultValue={settings.text_color}
            />
            <Select
              {...field('chat_notice')}
              label={t('settings.chat.notices')}
              defaultValue={settings.chat_notice}
              options={CHAT_NOTICES.map((value) => ({ value, text: t(`settings.chat.shown.${value}`) }))}
            />
            <Select
              {...field('chat_user_sort')}
              label={t('settings.chat.sort')}
              defaultValue={settings.chat_user_sort}
              options={CHAT_USER_SORTS.map((value) => (
                { value, text: t(`settings.chat.sorts.${value}`) }
              ))}
            />
          </div>
          <div className="flex min-h-11 items-center gap-3 text-sm font-medium">
            <span aria-hidden className="shrink-0">{t('settings.chat.volume')}</span>
            <Slider
              label={t('settings.chat.volume')}
              value={percent}
              min={0}
              max={100}
              step={5}
              text={t('settings.chat.percent', { count: percent })}
              onChange={setVolume}
            />
            <span aria-hidden className="tabular w-12 text-right text-muted">
              {t('settings.chat.percent', { count: percent })}
            </span>
          </div>
          <Checkbox
            {...field('chat_emoticons')}
            label={t('settings.chat.emoticons')}
            defaultChecked={settings.chat_emoticons === 'YES'}
          />
          <Checkbox
            {...field('calm_mode')}
            label={t('settings.chat.calm')}
            defaultChecked={settings.calm_mode}
          />
        </>
      )}
    </SettingsForm>
  );
}
