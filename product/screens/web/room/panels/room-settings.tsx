import type { InputOf } from '#platform/contract/call.ts';
import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox, PasswordField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getRoomSettings, saveRoomSettings } from '#product/rooms/client.ts';
import { MAX_CAM_PASSWORD_LENGTH, MIN_CAM_PASSWORD_LENGTH } from '#product/rooms/rules.ts';

type Change = Omit<InputOf<typeof saveRoomSettings>, 'username'>;

/** The performer's settings for their room: who sees the list of users, and the password of the video. */
export function RoomSettings({ username }: { username: string }) {
  const { t } = useTranslation('screens');
  const toast = useToast();
  const { data, error, refetch } = useRead(getRoomSettings, { username });
  const { run, busy, problem } = useAction(saveRoomSettings);
  const saved = async (): Promise<void> => {
    await refetch();
    toast(t('streaming.saved'), 'success');
  };
  const form = useForm(saveRoomSettings, {
    shape: async () => (await import('#product/rooms/contract/controls.ts')).saveRoomSettings,
    read: (fields) => ({ username, camPassword: textOf(fields, 'camPassword') }),
    onDone: async () => {
      form.props.ref.current?.reset();
      await saved();
    },
  });
  if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="m-3 h-32" />;
  const save = async (change: Change): Promise<void> => {
    if (await run({ username, ...change }) !== null) await saved();
  };
  return (
    <div className="flex flex-col gap-4 p-3">
      <Checkbox
        label={t('room.settings.listVisible')}
        checked={data.isUserListVisible}
        onChange={({ target }) => void save({ isUserListVisible: target.checked })}
      />
      <form {...form.props} className="flex flex-col gap-3">
        <PasswordField
          {...form.field('camPassword')}
          label={t('room.settings.password')}
          required
          autoComplete="off"
          minLength={MIN_CAM_PASSWORD_LENGTH}
          maxLength={MAX_CAM_PASSWORD_LENGTH}
          hint={t(data.hasCamPassword ? 'room.settings.passwordSet' : 'room.settings.passwordNone')}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" busy={form.busy}>{t('room.settings.savePassword')}</Button>
          {data.hasCamPassword
            ? (
              <Button tone="danger" busy={busy} onClick={() => void save({ camPassword: null })}>
                {t('room.settings.noPassword')}
              </Button>
            )
            : null}
        </div>
      </form>
      <FormError problem={form.problem ?? problem} />
    </div>
  );
}
