import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { Avatar } from '#platform/ui/surfaces/card.tsx';
import { ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { lazy, Suspense, useState } from 'react';
import { listLinked, unlinkAccount, updateSettings } from '../../../client.ts';
import { MAX_LINKED_ACCOUNTS } from '../../../rules/life/linked.ts';
import { useReloadMe } from '../../me.ts';
import { showLinked, showSettings } from '../live.ts';
import type { SectionProps } from '../sections/settings-form.tsx';

const LinkDialog = lazy(async () => ({ default: (await import('./link-dialogs.tsx')).LinkDialog }));
const SwitchDialog = lazy(async () => ({ default: (await import('./link-dialogs.tsx')).SwitchDialog }));

/** Other accounts of this person, and switching to them. */
export function LinkedSection({ me: { settings } }: SectionProps) {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(listLinked, {});
  const [isLinking, setLinking] = useState(false);
  const [to, setTo] = useState<string | null>(null);
  const unlink = useAction(unlinkAccount, showLinked);
  const reloadMe = useReloadMe();
  if (!data) {
    if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    return (
      <div aria-busy>
        <Skeleton className="h-16" />
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t('linked.lead')}</p>
      {data.accounts.length > 0
        ? (
          <ul aria-label={t('linked.title')} className="flex flex-col divide-y divide-line">
            {data.accounts.map(({ username, display_name: name, avatar_url: url }) => (
              <li key={username} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
                <span className="flex min-w-0 items-center gap-3">
                  <Avatar name={name} url={url} />
                  <span className="min-w-0 font-medium break-words">@{username}</span>
                </span>
                <span className="flex flex-wrap gap-2">
                  <Button
                    aria-label={t('linked.switchTo', { username })}
                    onClick={() =>
                      setTo(username)}
                  >
                    {t('linked.switch')}
                  </Button>
                  <Button
                    tone="danger"
                    busy={unlink.busy}
                    aria-label={t('linked.endNamed', { username })}
                    onClick={() =>
                      void unlink.run({ username }).then((done) => done && reloadMe())}
                  >
                    {t('linked.end')}
                  </Button>
                </span>
              </li>
            ))}
          </ul>
        )
        : null}
      <FormError problem={unlink.problem} />
      {data.accounts.length >= MAX_LINKED_ACCOUNTS
        ? <p>{t('linked.full')}</p>
        : (
          <div>
            <Button onClick={() => setLinking(true)}>{t('linked.add')}</Button>
          </div>
        )}
      <Hiding isHidden={settings.hide_linked_accounts === 'YES'} />
      <Suspense>
        {isLinking ? <LinkDialog confirmation={data.confirmation} onClose={() => setLinking(false)} /> : null}
        {to === null ? null : <SwitchDialog username={to} onClose={() => setTo(null)} />}
      </Suspense>
    </div>
  );
}

/** Whether the user menu leads to linked accounts; saved when chosen. */
function Hiding({ isHidden }: { readonly isHidden: boolean }) {
  const { t } = useTranslation('accounts');
  const reloadMe = useReloadMe();
  const save = useAction(updateSettings, showSettings);
  return (
    <>
      <Checkbox
        name="hide_linked_accounts"
        label={t('linked.hide')}
        checked={isHidden}
        onChange={({ target }) =>
          void save.run({ hide_linked_accounts: target.checked })
            .then((done) => done && reloadMe())}
      />
      <FormError problem={save.problem} />
    </>
  );
}
