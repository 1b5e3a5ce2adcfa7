import { LogOut, Mail, Settings, ShieldCheck, UserRound, Video } from 'lucide-react';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { Menu, type MenuItem } from '../../../../platform/ui/controls/menu.tsx';
import { Avatar } from '../../../../platform/ui/surfaces/card.tsx';
import { useLogout } from '../../../accounts/web/logout.ts';
import type { Me } from '../../../accounts/web/me.ts';
import { Balance } from './balance.tsx';

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
    { key: 'live', text: t('live.title'), to: '/go-live', icon: <Video size={20} aria-hidden /> },
    { key: 'room', text: t('live.myRoom'), to: `/${user.username}`, icon: <UserRound size={20} aria-hidden /> },
  ] : [];
  const desks: readonly MenuItem[] = user.isAdmin || user.isSuperAdmin ? [
    { key: 'clearances', text: t('menu.clearances'), to: '/admin/clearances', icon: <ShieldCheck size={20} aria-hidden /> },
    { key: 'outbox', text: t('menu.outbox'), to: '/admin/outbox', icon: <Mail size={20} aria-hidden /> },
  ] : [];
  return (
    <Menu
      label={t('menu.label', { name: user.display_name })}
      trigger={<Avatar name={user.display_name} url={user.avatar_url} />}
      items={[
        ...stage,
        { key: 'settings', text: t('menu.settings'), to: '/account/settings', icon: <Settings size={20} aria-hidden /> },
        ...desks,
        { key: 'logout', text: t('menu.logout'), onChoose: logout.run, icon: <LogOut size={20} aria-hidden /> },
      ]}
    />
  );
}
