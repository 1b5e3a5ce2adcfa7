import { Button } from '#platform/ui/controls/button.tsx';
import { Select, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { setRemoteLogging } from '../../client.ts';
import { MAX_REASON_LENGTH } from '../../rules.ts';

/** Turns remote logging on for a week, or off: one person's pages send their console output. */
export function RemoteLoggingForm() {
  const { t } = useTranslation('client-logs');
  const toast = useToast();
  const form = useForm(setRemoteLogging, {
    shape: async () => (await import('../../contract.ts')).setRemoteLogging,
    read: (fields) => ({
      username: textOf(fields, 'username').trim(),
      on: textOf(fields, 'on') === 'on',
      reason: textOf(fields, 'reason').trim(),
    }),
    fieldOf: { no_such_person: 'username' },
    onDone: ({ username, remote_logging: isOn }) =>
      toast(t(isOn ? 'web.remote.isOn' : 'web.remote.isOff', { username }), 'success'),
  });
  return (
    <Card className="flex max-w-2xl flex-col gap-4 p-4">
      <h2 className="text-lg font-bold">{t('web.remote.title')}</h2>
      <p className="text-sm text-muted">{t('web.remote.lead')}</p>
      <form {...form.props} aria-label={t('web.remote.title')} className="flex flex-col gap-4">
        <TextField
          {...form.field('username')}
          label={t('web.remote.username')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          required
        />
        <Select
          {...form.field('on')}
          label={t('web.remote.state')}
          options={[
            { value: 'on', text: t('web.remote.on') },
            { value: 'off', text: t('web.remote.off') },
          ]}
        />
        <TextField
          {...form.field('reason')}
          label={t('web.remote.reason')}
          autoComplete="off"
          maxLength={MAX_REASON_LENGTH}
          required
        />
        <FormError problem={form.problem} />
        <div>
          <Button type="submit" busy={form.busy}>{t('web.remote.save')}</Button>
        </div>
      </form>
    </Card>
  );
}
