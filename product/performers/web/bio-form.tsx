import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { updateProfile } from '#product/accounts/client.ts';
import { useReloadMe } from '#product/accounts/web/me.ts';
import { Link } from 'react-router';

/** The limit of the call. */
const MAX_ABOUT = 2_000;

/** A performer's text about themselves: on the bio page, in the room, and found by search. */
export function BioForm({ about, username }: { readonly about: string; readonly username: string }) {
  const { t } = useTranslation('performers');
  const toast = useToast();
  const reloadMe = useReloadMe();
  const form = useForm(updateProfile, {
    shape: async () => (await import('#product/accounts/contract.ts')).updateProfile,
    read: (fields) => ({ about: textOf(fields, 'about') }),
    onDone: async () => {
      await reloadMe();
      toast(t('saved'), 'success');
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <TextArea
        {...form.field('about')}
        label={t('bio.label')}
        hint={t('bio.hint', { max: MAX_ABOUT })}
        rows={8}
        maxLength={MAX_ABOUT}
        defaultValue={about}
      />
      <FormError problem={form.problem} />
      <div className="flex flex-wrap items-center gap-4">
        <Button type="submit" busy={form.busy}>{t('bio.save')}</Button>
        <Link to={`/${username}/bio`} className="inline-flex min-h-11 items-center text-link hover:underline">
          {t('bio.page')}
        </Link>
      </div>
    </form>
  );
}
