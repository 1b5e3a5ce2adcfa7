import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Checkbox, keepDigits, Select, TextField } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useId } from 'react';
import { BROADCAST_CATEGORIES, CHAT_ALLOWED, MAX_MOD_EXPIRE_DAYS, wordOf } from '../../../rules/settings.ts';
import { choiceIn, numberIn, SettingsForm, type SectionProps } from './settings-form.tsx';

/** A performer's own room. Prices, schedule and blocked places have a page of their own. */
export function RoomSection({ me: { settings } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const { chat_allowed: allowed, broadcast_category: category } = settings;
  const days = String(settings.mod_expire);
  const isOnHome = settings.show_home === 'YES';
  const hint = useId();
  return (
    <>
      <SettingsForm
        shown={{
          chat_allowed: allowed,
          broadcast_category: category,
          mod_expire: days,
          show_home: isOnHome,
        }}
        read={(fields) => ({
          ...choiceIn(fields, 'chat_allowed', CHAT_ALLOWED),
          mod_expire: numberIn(fields, 'mod_expire') ?? 0,
          ...choiceIn(fields, 'broadcast_category', BROADCAST_CATEGORIES),
          show_home: wordOf(fields.has('show_home')),
        })}
      >
        {({ field }) => (
          <div className="grid gap-4 sm:grid-cols-2">
            <Select
              {...field('chat_allowed')}
              label={t('settings.room.chat')}
              defaultValue={allowed}
              options={CHAT_ALLOWED.map((value) => ({ value, text: t(`settings.room.allowed.${value}`) }))}
            />
            <Select
              {...field('broadcast_category')}
              label={t('settings.room.category')}
              hint={t('settings.room.categoryHint')}
              defaultValue={category}
              options={BROADCAST_CATEGORIES.map((value) => (
                { value, text: t(`settings.room.categories.${value}`) }
              ))}
            />
            <TextField
              {...field('mod_expire')}
              label={t('settings.room.moderators')}
              hint={t('settings.room.moderatorsHint')}
              inputMode="numeric"
              autoComplete="off"
              required
              onInput={keepDigits}
              maxLength={String(MAX_MOD_EXPIRE_DAYS).length}
              defaultValue={days}
            />
            <div>
              <Checkbox
                {...field('show_home')}
                label={t('settings.room.home')}
                defaultChecked={isOnHome}
                aria-describedby={hint}
              />
              <p id={hint} className="text-xs text-muted">{t('settings.room.homeHint')}</p>
            </div>
          </div>
        )}
      </SettingsForm>
      <p className="mt-6 mb-2 text-sm">{t('settings.room.more')}</p>
      <ButtonLink to="/account/listing">{t('settings.room.listing')}</ButtonLink>
    </>
  );
}
