import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useRef } from 'react';
import { setShowsPhone } from '../client.ts';

/** For admins: shows support's telephone number to people besides super_vip members. */
export function PhoneForm() {
  const { t } = useTranslation('support');
  const toast = useToast();
  const shown = useRef(true);
  const form = useForm(setShowsPhone, {
    shape: async () => (await import('../contract/phone.ts')).setShowsPhone,
    read: (fields) => {
      shown.current = fields.has('is_shown');
      return { username: textOf(fields, 'username').trim(), is_shown: shown.current };
    },
    fieldOf: { member_unknown: 'username' },
    onDone: ({ username: name, is_shown: isShown }) =>
      toast(t(isShown ? 'admin.phoneShown' : 'admin.phoneHidden', { name }), 'success'),
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextField
        {...form.field('username')}
        label={t('admin.username')}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Checkbox {...form.field('is_shown')} label={t('admin.showPhone')} defaultChecked />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" busy={form.busy}>{t('admin.savePhone')}</Button>
      </div>
    </form>
  );
}
