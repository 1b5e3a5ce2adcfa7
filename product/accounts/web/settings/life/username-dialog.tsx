import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Moment } from '#platform/ui/text/moment.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { changeUsername, getUsernameChange } from '../../../client.ts';
import { FORMER_NAME_DAYS, USERNAME_CHANGE_DAYS } from '../../../rules/life/usernames.ts';
import { useReloadMe } from '../../me.ts';
import { askUsernameChange } from '../live.ts';
import { LogInAgain, PROOF_FIELD_OF, ProofFields, proofIn } from './proof.tsx';

const FIELD_OF = { ...PROOF_FIELD_OF, username_taken: 'username', username_invalid: 'username' } as const;

/** Changes the caller's username, at most once in 30 days. */
export default function UsernameDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(getUsernameChange, {});
  return (
    <Dialog title={t('username.title')} onClose={onClose}>
      {data
        ? <Content change={data} onClose={onClose} />
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : (
          <div aria-busy>
            <Skeleton className="h-32" />
          </div>
        )}
    </Dialog>
  );
}

interface ContentProps {
  readonly change: OutputOf<typeof getUsernameChange>;
  readonly onClose: () => void;
}

function Content({ change, onClose }: ContentProps) {
  const { t } = useTranslation('accounts');
  if (change.changeable_at !== null) {
    return (
      <p>
        {t('username.later')} <Moment at={change.changeable_at} show="day" />
      </p>
    );
  }
  return change.confirmation === 'log_in' ? <LogInAgain /> : <NameForm change={change} onClose={onClose} />;
}

function NameForm({ change: { username, confirmation }, onClose }: ContentProps) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const reloadMe = useReloadMe();
  const form = useForm(changeUsername, {
    shape: async () => (await import('../../../contract/life/username.ts')).changeUsername,
    read: (fields) => ({ username: textOf(fields, 'username').trim(), ...proofIn(fields) }),
    fieldOf: FIELD_OF,
    applied: askUsernameChange,
    onDone: async ({ user }) => {
      await reloadMe();
      toast(t('username.done', { username: user.username }), 'success');
      onClose();
    },
  });
  return (
    <form {...form.props} className="flex flex-col gap-4">
      <p className="text-muted">
        {t('username.lead', { username, days: USERNAME_CHANGE_DAYS, linked: FORMER_NAME_DAYS })}
      </p>
      <TextField
        {...form.field('username')}
        label={t('username.new')}
        hint={t('register.usernameHint')}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={25}
      />
      <ProofFields form={form} confirmation={confirmation} />
      <FormError problem={form.problem} />
      <div>
        <Button type="submit" tone="primary" busy={form.busy}>{t('username.submit')}</Button>
      </div>
    </form>
  );
}
