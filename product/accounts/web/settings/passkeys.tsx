import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import { listPasskeys } from '../../client.ts';
import type { PasskeyView } from '../../contract/passkeys.ts';
import { MAX_PASSKEYS } from '../../rules/passkeys.ts';
import { AddPasskey, RemovePasskey, RenamePasskey } from './passkey-dialogs.tsx';

type Open = { readonly add: true } | { readonly rename: PasskeyView } | { readonly remove: PasskeyView };

/** The caller's passkeys: each can be named and removed, and others added. */
export function Passkeys() {
  const { t } = useTranslation('accounts');
  const { data, error, refetch } = useRead(listPasskeys, {});
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  if (!data) {
    if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
    return (
      <div aria-busy>
        <Skeleton className="h-16" />
      </div>
    );
  }
  const { passkeys, confirmation } = data;
  const hosts = new Set(passkeys.map(({ host }) => host));
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{t('passkeys.lead')}</p>
      {passkeys.length > 0
        ? (
          <ul aria-label={t('passkeys.title')} className="flex flex-col divide-y divide-line">
            {passkeys.map((passkey) => (
              <PasskeyRow
                key={passkey.id}
                passkey={passkey}
                withHost={hosts.size > 1}
                onRename={() => setOpen({ rename: passkey })}
                onRemove={() => setOpen({ remove: passkey })}
              />
            ))}
          </ul>
        )
        : null}
      {passkeys.length >= MAX_PASSKEYS
        ? <p>{t('passkeys.full')}</p>
        : (
          <div>
            <Button onClick={() => setOpen({ add: true })}>{t('passkeys.add')}</Button>
          </div>
        )}
      {open && 'add' in open ? <AddPasskey confirmation={confirmation} onClose={close} /> : null}
      {open && 'rename' in open ? <RenamePasskey passkey={open.rename} onClose={close} /> : null}
      {open && 'remove' in open ? <RemovePasskey passkey={open.remove} onClose={close} /> : null}
    </div>
  );
}

interface PasskeyRowProps {
  readonly passkey: PasskeyView;
  /** Whether there are passkeys of several sites. */
  readonly withHost: boolean;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}

function PasskeyRow({ passkey, withHost, onRename, onRemove }: PasskeyRowProps) {
  const { t } = useTranslation('accounts');
  const { name, host, created_at: created, used_at: used } = passkey;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0">
        <p className="font-medium break-words">
          <Typed>{name}</Typed>
        </p>
        <p className="text-sm text-muted">
          {withHost ? `${host} · ` : ''}
          {t('passkeys.created')} <RelativeTime at={created} /> · {used === null
            ? t('passkeys.neverUsed')
            : (
              <>
                {t('passkeys.used')} <RelativeTime at={used} />
              </>
            )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onRename} aria-label={t('passkeys.renameNamed', { name })}>
          {t('passkeys.rename')}
        </Button>
        <Button tone="danger" onClick={onRemove} aria-label={t('passkeys.removeNamed', { name })}>
          {t('passkeys.remove')}
        </Button>
      </div>
    </li>
  );
}
