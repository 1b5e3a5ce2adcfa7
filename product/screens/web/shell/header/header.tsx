import { keyOf } from '#platform/text/message-keys.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe, useWayBack, type Me } from '#product/accounts/web/me.ts';
import { SECTIONS } from '#product/browse/web/sections.ts';
import { lazy } from 'react';
import { Link, NavLink } from 'react-router';
import { useSite } from '../../document/site.ts';
import { useOpenPrompt } from '../money-prompts.tsx';
import { Balance, EarnedToday } from './balance.tsx';
import { BellLink } from './bell-link.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { PersonMenu } from './person-menu.tsx';
import { SearchBox } from './search-box.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const PersonEvents = lazy(async () => ({ default: (await import('./person-events.tsx')).PersonEvents }));

/** The logo is the link to the home page. */
const SECTION_LINKS = SECTIONS.filter(({ id }) => id !== 'home');

/** 56 px: logo, sections, language; right the balance and the person. */
export function Header({ gated }: { gated: boolean }) {
  const { t } = useTranslation('screens');
  const back = useWayBack();
  const me = useMe();
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-page">
      <div className="mx-auto flex h-14 max-w-[1800px] items-center gap-2 px-3 sm:px-6">
        <Logo isShort={me !== null && me !== undefined} />
        {gated
          ? null
          : (
            <nav aria-label={t('sections')} className="ml-4 hidden h-full items-stretch gap-1 md:flex">
              {SECTION_LINKS.map(({ id, to }) => (
                <NavLink
                  key={id}
                  to={to}
                  className="flex items-center border-b-2 border-transparent px-3 text-sm font-medium
                  text-muted -outline-offset-2 hover:text-text aria-[current=page]:border-pink
                  aria-[current=page]:text-text"
                >
                  {t(keyOf('screens', 'section', id))}
                </NavLink>
              ))}
            </nav>
          )}
        <div className="ml-auto flex items-center gap-1">
          {gated ? null : <SearchBox />}
          <span className="hidden md:contents">
            <ThemeSwitch />
          </span>
          <span className={gated ? 'contents' : 'hidden md:contents'}>
            <LanguageMenu />
          </span>
          {me ? <PersonCorner me={me} /> : (
            <>
              {gated ? null : <GuestTokens />}
              <ButtonLink to="/login" state={back} tone="quiet">{t('login')}</ButtonLink>
              <span className="hidden sm:contents">
                <ButtonLink to="/register" state={back}>{t('register')}</ButtonLink>
              </span>
            </>
          )}
        </div>
      </div>
    </header>
  );
}

/** Get tokens, for guests, who are asked to sign up first. Phones have room only for the log-in. */
function GuestTokens() {
  const { t } = useTranslation('screens');
  const openPrompt = useOpenPrompt();
  return (
    <span className="hidden md:contents">
      <Button tone="quiet" aria-haspopup="dialog" onClick={() => openPrompt('purchase')}>
        {t('tokens.get')}
      </Button>
    </span>
  );
}

/**
 * Buttons of a member, part of the shell like all buttons here. React replaces the server markup of lazy
 * components when anything above changes before their code is there, and a click or the focus on them is then
 * lost. Only components without server markup are loaded on their own.
 */
function PersonCorner({ me }: { me: Me }) {
  return (
    <>
      {me.user.type === 'model' ? <EarnedToday /> : <Balance tokens={me.tokens} />}
      <BellLink count={me.user.notificationUnreadCount} />
      <PersonMenu me={me} />
      <Extra>
        <PersonEvents />
      </Extra>
    </>
  );
}

/** Beside a balance and a search icon, a small phone has no room for the name. */
function Logo({ isShort }: { isShort: boolean }) {
  const { t } = useTranslation('screens');
  const site = useSite();
  const name = site?.display_name ?? '';
  const { logo_path: path, logo_width: width, logo_height: height } = site?.custom ?? {};
  return (
    <Link
      to="/"
      className="flex min-h-11 items-center gap-2 rounded-control text-lg font-bold tracking-tight"
    >
      {path
        ? (
          <img
            src={path}
            alt={name}
            width={width ?? undefined}
            height={height ?? undefined}
            className="h-8 w-auto"
          />
        )
        : (
          <>
            <img src="/favicon.svg" alt="" width={28} height={28} className="shrink-0" />
            <span className={isShort ? 'max-[359px]:sr-only' : ''}>{name}</span>
          </>
        )}
      <span className="sr-only">{t('toHome')}</span>
    </Link>
  );
}
