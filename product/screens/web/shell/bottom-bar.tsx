import { keyOf } from '#platform/text/message-keys.ts';
import { Menu } from '#platform/ui/controls/popups/menu.tsx';
import { leaveNow } from '#platform/ui/faults/quick-exit.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe, useWayBack } from '#product/accounts/web/me.ts';
import { Compass, GalleryVertical, House, UserPlus, UserRound, Video } from 'lucide-react';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { DISCOVER } from './discover.ts';

/** The main links on a phone, within reach of a thumb. Guests log in from the header. */
export function BottomBar() {
  const { t } = useTranslation('screens');
  const back = useWayBack();
  const me = useMe();
  return (
    <nav
      aria-label={t('main')}
      data-bottom-bar
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-page
        pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <Way to="/" text={t('home')} icon={<House size={20} aria-hidden />} />
      <Way to="/swipe" text={t('swipe.title')} icon={<GalleryVertical size={20} aria-hidden />} />
      <Discover />
      {me?.user.type === 'model'
        ? <Way to="/go-live" text={t('live.title')} icon={<Video size={20} aria-hidden />} />
        : null}
      {me
        ? <Way to="/account/settings" text={t('me')} icon={<UserRound size={20} aria-hidden />} />
        : <Way to="/register" state={back} text={t('register')} icon={<UserPlus size={20} aria-hidden />} />}
    </nav>
  );
}

/** Other ways to find performers: a list that opens over the page. */
function Discover() {
  const { t } = useTranslation('screens');
  const text = t('discover.group.discover');
  return (
    <span className="flex h-14 grow basis-0 items-center justify-center">
      <Menu
        label={text}
        upwards
        trigger={
          <span aria-hidden className="flex flex-col items-center gap-1 text-xs font-medium">
            <Compass size={20} />
            {text}
          </span>
        }
        items={[
          ...DISCOVER.map(({ id, to }) => ({ key: id, to, text: t(keyOf('screens', 'discover', id)) })),
          { key: 'leave', text: t('menu.leave'), onChoose: leaveNow },
        ]}
      />
    </span>
  );
}

function Way({ to, state, text, icon }: {
  to: string;
  state?: object | null;
  text: string;
  icon: ReactNode;
}) {
  return (
    <NavLink
      to={to}
      state={state}
      end
      className="flex h-14 grow basis-0 flex-col items-center justify-center gap-1 text-xs font-medium
        text-muted -outline-offset-2 aria-[current=page]:text-accent"
    >
      {icon}
      {text}
    </NavLink>
  );
}
