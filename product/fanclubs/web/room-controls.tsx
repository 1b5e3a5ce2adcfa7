import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { ActionButton } from '#product/rooms/web/action-button.tsx';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { HeartHandshake, MessageSquareText } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { fanclubsPart } from '../client.ts';
import { useNewPosts } from './live.ts';

/** Loaded when somebody opens the club. */
const Fanclub = lazy(() => import('./fanclub.tsx'));

/** The link to the club, with the viewer's level; for the performer, to their settings. */
export default function FanclubControls({ room, link: { connection }, onMoneyPrompt }: PagePartProps) {
  const { t } = useTranslation('fanclubs');
  const [isOpen, setOpen] = useState(false);
  const { username, displayName: name } = room.user;
  const fresh = useNewPosts(connection, username);
  const part = readPart(room, fanclubsPart);
  const { enabled, priceSupporter } = part.userSetting.fanclub;
  const { membershipLevel: level } = part.auth.fanclub;
  if (room.auth.isStreamer) {
    return (
      <span className="shrink-0">
        <ButtonLink to="/account/fanclub" icon={<HeartHandshake size={20} aria-hidden />}>
          {t('room.settings')}
        </ButtonLink>
      </span>
    );
  }
  if (!enabled && level === null) return null;
  const open = () => {
    fresh.show();
    setOpen(true);
  };
  return (
    <section aria-label={t('room.title')} className="flex shrink-0 items-center gap-2">
      <ActionButton
        onClick={open}
        icon={<HeartHandshake size={20} aria-hidden />}
        text={t('room.title')}
        label={level === null ? t('room.join') : t('room.member', { level: t(`level.${level}`) })}
        detail={level !== null ? t(`level.${level}`) : priceSupporter === null ? undefined : (
          <>
            {t('room.from')} <TokenAmount tokens={priceSupporter} />
          </>
        )}
      />
      <span role="status" className="empty:hidden">
        {fresh.ids.length === 0 || isOpen
          ? null
          : (
            <Button tone="quiet" icon={<MessageSquareText size={20} aria-hidden />} onClick={open}>
              <span className="max-lg:sr-only">{t('posts.new', { count: fresh.ids.length })}</span>
            </Button>
          )}
      </span>
      {isOpen
        ? (
          <Dialog title={t('title', { name })} onClose={() => setOpen(false)} size="large">
            <div className="flex flex-col gap-4">
              <Suspense fallback={<Skeleton className="h-64" />}>
                <Fanclub
                  username={username}
                  connection={connection}
                  onMoneyPrompt={onMoneyPrompt}
                  news={fresh}
                />
              </Suspense>
              <ButtonLink to={`/${username}/fanclub`} tone="quiet">{t('room.page')}</ButtonLink>
            </div>
          </Dialog>
        )
        : null}
    </section>
  );
}
