import { keyOf } from '#platform/text/message-keys.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { leaveNow } from '#platform/ui/faults/quick-exit.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSupportUnread } from '#product/support/web/chat/unread.ts';
import { Link } from 'react-router';
import { useSite, useSiteConfig } from '../document/site.ts';
import { DISCOVER, FEEDS } from './discover.ts';
import { LanguageMenu } from './header/language-menu.tsx';
import { ThemeSwitch } from './header/theme-switch.tsx';

/** Language, theme, and the legal line; past the entry gate also links that do not fit in the header. */
export function Footer({ gated }: { readonly gated: boolean }) {
  const { t } = useTranslation('screens');
  const name = useSite()?.display_name ?? '';
  return (
    <footer className="mt-8 border-t border-line text-sm text-muted">
      <div className="mx-auto max-w-[1800px] px-4 py-6 sm:px-6">
        {gated ? null : <Ways />}
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <p className="grow basis-64">{t('legal', { site: name })}</p>
          {gated
            ? (
              <>
                <Way to="/models/signup" text={t('becomePerformer')} />
                <Way to="/report" text={t('discover.report')} />
                <Way to="/legal" text={t('discover.legal')} />
                <Way to="/cookies" text={t('discover.cookies')} />
              </>
            )
            : null}
          <div className="flex items-center gap-2">
            <LanguageMenu named upwards />
            <ThemeSwitch />
            <Button tone="quiet" onClick={leaveNow}>{t('menu.leave')}</Button>
          </div>
        </div>
      </div>
    </footer>
  );
}

/** Columns of links; two side by side on a phone. */
function Ways() {
  const { t } = useTranslation('screens');
  const unread = useSupportUnread();
  const hasJoinOffer = useSiteConfig()?.has_join_offer ?? false;
  const groups = [
    ['discover', DISCOVER.map(({ id, to }) => ({ to, text: t(keyOf('screens', 'discover', id)) }))],
    ['feeds', FEEDS.map(({ id, to }) => ({ to, text: t(keyOf('screens', 'discover.feedOf', id)) }))],
    ['about', [
      { to: '/models/signup', text: t('becomePerformer') },
      ...(hasJoinOffer ? [{ to: '/join', text: t('discover.join') }] : []),
      { to: '/experiments', text: t('discover.experiments') },
      { to: '/support', text: t('discover.support') },
      ...unread === null ? [] : [{
        to: '/support/chat',
        text: unread > 0 ? t('menu.supportUnread', { count: unread }) : t('menu.supportChat'),
      }],
      { to: '/report', text: t('discover.report') },
      { to: '/legal', text: t('discover.legal') },
      { to: '/terms', text: t('discover.terms') },
      { to: '/privacy', text: t('discover.privacy') },
      { to: '/cookies', text: t('discover.cookies') },
    ]],
  ] as const;
  return (
    <nav aria-label={t('discover.label')} className="mb-6 grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3">
      {groups.map(([id, links]) => (
        <div key={id} className="min-w-0">
          <h2 className="font-bold text-text">{t(keyOf('screens', 'discover.group', id))}</h2>
          <ul>
            {links.map((link) => (
              <li key={link.to}>
                <Way {...link} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Way({ to, text }: { readonly to: string; readonly text: string }) {
  return <Link to={to} className="inline-flex min-h-11 items-center text-link hover:underline">{text}</Link>;
}
