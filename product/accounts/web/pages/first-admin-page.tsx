import { routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { useForm } from '#platform/ui/forms/form.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { becomeFirstAdmin } from '../../client.ts';
import { useMe, useReloadMe } from '../me.ts';

const wanted = { texts: ['accounts'], always: true, member: true };
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/**
 * Opened from the link in the log of a site without an admin. It takes a click, so that programs that open
 * links make nobody an admin.
 */
export default function FirstAdminPage() {
  const { t } = useTranslation('accounts');
  const [query] = useSearchParams();
  const [isDone, setDone] = useState(false);
  const username = useMe()?.user.username ?? '';
  const reload = useReloadMe();
  const form = useForm(becomeFirstAdmin, {
    shape: async () => (await import('../../contract/staff-roles.ts')).becomeFirstAdmin,
    read: () => ({ token: query.get('token') ?? '' }),
    onDone: async () => {
      await reload();
      setDone(true);
    },
  });
  return (
    <Narrow
      title={t('firstAdmin.title')}
      lead={isDone ? t('firstAdmin.done') : t('firstAdmin.lead', { username })}
    >
      {isDone
        ? (
          <div className="flex flex-col items-start gap-2">
            <p>{t('firstAdmin.next')}</p>
            <Link
              to="/account/settings#two-step"
              className="inline-flex min-h-11 items-center font-medium text-link hover:underline"
            >
              {t('twoFactor.setUp')}
            </Link>
            <Link to="/admin" className="inline-flex min-h-11 items-center text-link hover:underline">
              {t('firstAdmin.open')}
            </Link>
          </div>
        )
        : (
          <form {...form.props} method="post" className="flex flex-col gap-4">
            <FormError problem={form.problem} />
            <Button type="submit" tone="primary" wide busy={form.busy}>{t('firstAdmin.submit')}</Button>
          </form>
        )}
    </Narrow>
  );
}
