import type { MenuItem } from '#platform/ui/controls/popups/menu-popup.tsx';
import { Menu } from '#platform/ui/controls/popups/menu.tsx';
import { useInstall } from '#platform/ui/early/install.ts';
import { leaveNow } from '#platform/ui/faults/quick-exit.ts';
import { Avatar } from '#platform/ui/surfaces/card.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLogout } from '#product/accounts/web/logout.ts';
import type { Me } from '#product/accounts/web/me.ts';
import { useSupportUnread } from '#product/support/web/chat/unread.ts';
import {
  Bell,
  BriefcaseBusiness,
  Coins,
  DoorOpen,
  Download,
  EyeOff,
  Film,
  HandCoins,
  Heart,
  HeartHandshake,
  History,
  LayoutGrid,
  LifeBuoy,
  Lock,
  LogOut,
  Settings,
  Settings2,
  UserRound,
  Video,
  Wallet,
  type LucideIcon,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { ADMIN_PATH, adminPagesFor } from '../../admin/admin-pages.ts';

const icon = (Icon: LucideIcon) => <Icon size={20} aria-hidden />;

/** Loaded when a performer hides. */
const HidePanel = lazy(() => import('../../performer/hiding/hide-panel.tsx'));

/** The person's menu; for staff it contains the back office. */
export function PersonMenu({ me: { user, linkedAccounts } }: { me: Me }) {
  const { t } = useTranslation('screens');
  const logout = useLogout();
  const install = useInstall();
  const unread = useSupportUnread();
  const [isHiding, setHiding] = useState(false);
  const stage: readonly MenuItem[] = user.type === 'model'
    ? [
      { key: 'live', text: t('live.title'), to: '/go-live', icon: icon(Video) },
      { key: 'room', text: t('live.myRoom'), to: `/${user.username}`, icon: icon(UserRound) },
      { key: 'earnings', text: t('earnings'), to: '/account/earnings', icon: icon(Wallet) },
      { key: 'listing', text: t('live.listing'), to: '/account/listing', icon: icon(LayoutGrid) },
      { key: 'fanclub', text: t('live.fanclub'), to: '/account/fanclub', icon: icon(HeartHandshake) },
      { key: 'recordings', text: t('live.recordings'), to: '/account/recordings', icon: icon(Film) },
      { key: 'streaming', text: t('live.settings'), to: '/account/streaming', icon: icon(Settings2) },
      { key: 'hide', text: t('hiding.now'), onChoose: () => setHiding(true), icon: icon(EyeOff) },
    ]
    : [];
  const admin: readonly MenuItem[] = adminPagesFor(user.user_roles).length > 0
    ? [
      { key: 'admin', text: t('admin.title'), to: ADMIN_PATH, icon: icon(BriefcaseBusiness) },
    ]
    : [];
  return (
    <>
      <Menu
        label={t('menu.label', { name: user.display_name })}
        trigger={<Avatar name={user.display_name} url={user.avatar_url} />}
        items={[
          ...stage,
          { key: 'notifications', text: t('menu.notifications'), to: '/notifications', icon: icon(Bell) },
          { key: 'followed', text: t('menu.followed'), to: '/followed', icon: icon(Heart) },
          { key: 'fanclubs', text: t('menu.fanclubs'), to: '/account/fanclubs', icon: icon(HeartHandshake) },
          { key: 'history', text: t('menu.history'), to: '/view-history', icon: icon(History) },
          { key: 'tokens', text: t('menu.tokens'), to: '/account/tokens', icon: icon(Coins) },
          { key: 'tips', text: t('menu.tips'), to: '/account/tips', icon: icon(HandCoins) },
          { key: 'shows', text: t('menu.shows'), to: '/account/shows', icon: icon(Lock) },
          { key: 'settings', text: t('menu.settings'), to: '/account/settings', icon: icon(Settings) },
          ...linkedAccounts.length > 0
            ? [{
              key: 'linked',
              text: t('menu.linked'),
              to: '/account/settings#linked',
              icon: icon(UserRound),
            }]
            : [],
          ...unread === null ? [] : [{
            key: 'support',
            to: '/support/chat',
            icon: icon(LifeBuoy),
            text: unread > 0 ? t('menu.supportUnread', { count: unread }) : t('menu.supportChat'),
          }],
          ...admin,
          ...(install
            ? [
              { key: 'install', text: t('menu.install'), onChoose: install, icon: icon(Download) },
            ]
            : []),
          { key: 'leave', text: t('menu.leave'), onChoose: leaveNow, icon: icon(DoorOpen) },
          { key: 'logout', text: t('menu.logout'), onChoose: logout.run, icon: icon(LogOut) },
        ]}
      />
      {isHiding
        ? (
          <Suspense>
            <HidePanel onClose={() => setHiding(false)} />
          </Suspense>
        )
        : null}
    </>
  );
}
