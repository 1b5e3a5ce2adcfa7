import { LogOut, Mail, Settings, ShieldCheck, UserRound, Video, type LucideIcon } from 'lucide-react';
import type { MenuItem } from '../../../../platform/ui/controls/menu-list.tsx';
import { Menu } from '../../../../platform/ui/controls/menu.tsx';
import { Avatar } from '../../../../platform/ui/surfaces/card.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useLogout } from '../../../accounts/web/logout.ts';
import type { Me } from '../../../accounts/web/me.ts';
import { Balance } from './balance.tsx';

const icon = (Icon: LucideIcon) => <Icon size={20} aria-hidden />;

/** Balance and menu of somebody who is logged in; guests never load it. */
export function PersonCorner({ me }: { me: Me }) {
  return <><Balance tokens={me.tokens} /><PersonMenu me={me} /></>;
}

/** The person's menu; staff find their desks in it. */
function PersonMenu({ me }: { me: Me }) {
  const { t } = useTranslation('screens');
  const logout = useLogout();
  const { user } = me;
  const stage: readonly MenuItem[] = user.type === 'model' ? [
    { key: 'live', text: t('live.title'), to: '/go-live', icon: icon(Video) },
    { key: 'room', text: t('live.myRoom'), to: `/${user.username}`, icon: icon(UserRound) },
  ] : [];
  const desks: readonly MenuItem[] = user.isAdmin || user.isSuperAdmin ? [
    { key: 'clearances', text: t('menu.clearances'), to: '/admin/clearances', icon: icon(ShieldCheck) },
    { key: 'outbox', text: t('menu.outbox'), to: '/admin/outbox', icon: icon(Mail) },
  ] : [];
  return (
    <Menu
      label={t('menu.label', { name: user.display_name })}
      trigger={<Avatar name={user.display_name} url={user.avatar_url} />}
      items={[
        ...stage,
        { key: 'settings', text: t('menu.settings'), to: '/account/settings', icon: icon(Settings) },
        ...desks,
        { key: 'logout', text: t('menu.logout'), onChoose: logout.run, icon: icon(LogOut) },
      ]}
    />
  );
}
