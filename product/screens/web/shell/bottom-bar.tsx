import { GalleryVertical, House, LogIn, UserPlus, UserRound, Video } from 'lucide-react';
import type { ReactNode } from 'react';
import { NavLink } from 'react-router';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe } from '../../../accounts/web/me.ts';

/** The phone's main ways, one thumb away. */
export function BottomBar() {
  const { t } = useTranslation('screens');
  const me = useMe();
  return (
    <nav aria-label={t('main')}
      className="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-page
        pb-[env(safe-area-inset-bottom)] md:hidden">
      <Way to="/" text={t('home')} icon={<House size={20} aria-hidden />} />
      <Way to="/swipe" text={t('swipe.title')} icon={<GalleryVertical size={20} aria-hidden />} />
      {me?.user.type === 'model'
        ? <Way to="/go-live" text={t('live.title')} icon={<Video size={20} aria-hidden />} /> : null}
      {me
        ? <Way to="/account/settings" text={t('me')} icon={<UserRound size={20} aria-hidden />} />
        : (
          <>
            <Way to="/login" text={t('login')} icon={<LogIn size={20} aria-hidden />} />
            <Way to="/register" text={t('register')} icon={<UserPlus size={20} aria-hidden />} />
          </>
        )}
    </nav>
  );
}

function Way({ to, text, icon }: { to: string; text: string; icon: ReactNode }) {
  return (
    <NavLink to={to} end
      className="flex h-14 grow basis-0 flex-col items-center justify-center gap-1 text-xs font-medium
        text-muted -outline-offset-2 aria-[current=page]:text-accent">
      {icon}
      {text}
    </NavLink>
  );
}
