import { queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { describedBy, FieldNotes } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { enterPassword, getRoom, passwordTries, passwordWrong } from '#product/rooms/client.ts';
import { MAX_CAM_PASSWORD_LENGTH } from '#product/rooms/rules.ts';

const FIELD = 'room-password';

/** Over the video of a room with a password: viewers who know it see the video. */
export default function PasswordForm({ username }: { username: string }) {
  const { t } = useTranslation('screens');
  const cache = useCache();
  const form = useForm(enterPassword, {
    shape: async () => (await import('#product/rooms/contract/controls.ts')).enterPassword,
    read: (fields) => ({ username, password: textOf(fields, 'password') }),
    fieldOf: { [passwordWrong.code]: 'password', [passwordTries.code]: 'password' },
    onDone: () => cache.invalidateQueries({ queryKey: queryKeyOf(getRoom, { username }) }),
  });
  const { error, ...field } = form.field('password');
  return (
    <form
      {...form.props}
      className="pointer-events-auto flex w-full max-w-sm flex-col gap-2 rounded-card bg-surface p-3 text-left
        text-text"
    >
      <label htmlFor={FIELD} className="text-sm font-medium">{t('room.password.label')}</label>
      <div className="flex gap-2">
        <input
          id={FIELD}
          {...field}
          type="password"
          required
          autoComplete="off"
          maxLength={MAX_CAM_PASSWORD_LENGTH}
          {...describedBy(FIELD, { error })}
          className="min-h-11 w-full min-w-0 rounded-control border border-field bg-surface px-3 text-base
            aria-invalid:border-danger"
        />
        <Button type="submit" tone="primary" busy={form.busy}>{t('room.password.enter')}</Button>
      </div>
      <FieldNotes id={FIELD} error={error} />
      <FormError problem={form.problem} />
    </form>
  );
}
