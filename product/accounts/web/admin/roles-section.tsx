import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { setRole, type getPerson } from '../../client.ts';
import { ROLES, type RoleName } from '../../rules.ts';
import { MAX_ROLE_REASON } from '../../rules/staff/roles.ts';
import { showPerson } from './live.ts';

type Person = OutputOf<typeof getPerson>;
type Change = Pick<InputOf<typeof setRole>, 'role' | 'on'>;

const isRole = (text: string): text is RoleName => (ROLES as readonly string[]).includes(text);

/** Roles by their displayed names. */
export function RoleNames({ roles }: { readonly roles: readonly string[] }) {
  const { t } = useTranslation('accounts');
  return roles.map((role) => (isRole(role) ? t(`people.roleNames.${role}`) : role)).join(', ');
}

/** The roles that this admin may give and take; nothing where there are none. */
export function RolesSection({ person }: { readonly person: Person }) {
  const { t } = useTranslation('accounts');
  const [change, setChange] = useState<Change | null>(null);
  if (person.roles_to_give.length === 0 || person.erased_at !== null) return null;
  return (
    <section aria-labelledby="roles-of-person" className="flex flex-col gap-2 border-t border-line pt-4">
      <h3 id="roles-of-person" className="font-bold">{t('people.roles')}</h3>
      <ul className="flex flex-col gap-1">
        {person.roles_to_give.map((role) => {
          const on = !person.roles.includes(role);
          const name = t(`people.roleNames.${role}`);
          return (
            <li key={role} className="flex flex-wrap items-center justify-between gap-2 text-sm">
              <span>{name}</span>
              <Button
                tone={on ? 'secondary' : 'danger'}
                onClick={() => setChange({ role, on })}
                aria-label={`${t(on ? 'people.giveRole' : 'people.takeRole')}: ${name}`}
              >
                {t(on ? 'people.giveRole' : 'people.takeRole')}
              </Button>
            </li>
          );
        })}
      </ul>
      {change ? <RoleDialog person={person} change={change} onClose={() => setChange(null)} /> : null}
    </section>
  );
}

function RoleDialog({ person: { username }, change: { role, on }, onClose }: {
  readonly person: Person;
  readonly change: Change;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const [, setSearch] = useSearchParams();
  const form = useForm(setRole, {
    shape: async () => (await import('../../contract/staff-roles.ts')).setRole,
    read: (fields) => ({ username, role, on, reason: textOf(fields, 'reason').trim() }),
    applied: showPerson,
    onDone: ({ username: now }) => {
      toast(t('people.rolesSaved', { username: now }), 'success');
      onClose();
      // A person who loses a staff username with the role is found by another name.
      if (now !== username) setSearch({ username: now });
    },
  });
  const name = t(`people.roleNames.${role}`);
  return (
    <Dialog title={t(on ? 'people.giveRoleTitle' : 'people.takeRoleTitle', { username })} onClose={onClose}>
      <form {...form.props} method="post" className="flex flex-col gap-4">
        <p>{t(on ? 'people.giveRoleLead' : 'people.takeRoleLead', { role: name })}</p>
        <TextField
          {...form.field('reason')}
          label={t('people.reason')}
          hint={t('people.roleReasonHint')}
          autoComplete="off"
          maxLength={MAX_ROLE_REASON}
          required
        />
        <FormError problem={form.problem} />
        <Button type="submit" tone={on ? 'primary' : 'danger'} busy={form.busy}>
          {t(on ? 'people.giveRole' : 'people.takeRole')}
        </Button>
      </form>
    </Dialog>
  );
}
