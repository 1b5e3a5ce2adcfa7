import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { lazy, useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { BottomBar } from './bottom-bar.tsx';
import { ConsentHost } from './consent-host.tsx';
import { Footer } from './footer.tsx';
import { Header } from './header/header.tsx';
import { OfflineNotice } from './live/offline-notice.tsx';
import { useOpenRooms } from './live/open-rooms.ts';
import { useBanner } from './use-banner.ts';

const StepNotice = lazy(() => import('#product/accounts/web/second-step/step-notice.tsx'));
const WaysInNotice = lazy(() => import('#product/accounts/web/recovery/ways-in-notice.tsx'));
const PerformerNotices = lazy(() => import('../performer/performer-notices.tsx'));
/** Not part of the first document, which is complete when it is shown. */
const LoadingBar = lazy(() => import('./loading-bar.tsx'));
const HoldNotice = lazy(() => import('#product/accounts/web/email/hold-notice.tsx'));

interface ShellProps {
  /** The entry gate is not passed yet: nothing leads past it except language, theme and log-in. */
  readonly gated: boolean;
  /** The page fills the window: no footer, no bottom bar. */
  readonly bare: boolean;
  /** The site shows only its pages (spec 1 §2): no header, banner, footer or bar. */
  readonly alone: boolean;
  readonly children: ReactNode;
}

/**
 * A page that fills the window takes the space beside `--around`: the content above it, and the consent
 * banner below it.
 */
const FRAME = 'flex min-h-[calc(100dvh-var(--consent,0px))] flex-col '
  + 'has-data-fills:h-[calc(100dvh-var(--consent,0px))] '
  + '[--around:calc(var(--header,57px)_+_var(--banner,0px)_+_var(--notices,0px)_+_var(--consent,0px))]';

/** Loaded with the first room that stays open. */
const RoomDock = lazy(() => import('./live/room-dock.tsx'));

/** Few sites have one, and it is part of the document. */
const Banner = lazy(() => import('./banner.tsx'));

/** The frame of every page. What a person must answer or know is there on every site. */
export function Shell({ gated, bare, alone, children }: ShellProps) {
  const { t } = useTranslation('screens');
  const main = useRef<HTMLElement>(null);
  const isModel = useMe()?.user.type === 'model';
  useFocusOnArrival(main);
  const banner = useBanner();
  const shown = gated ? null : banner;
  const page = (
    <main id="main" ref={main} tabIndex={-1} className="flex min-h-0 grow flex-col">{children}</main>
  );
  if (alone) {
    return (
      <div className={`${FRAME} [--header:0px]`}>
        <ConsentHost gated={gated} bare />
        <div ref={measureNotices}>
          <Notices />
        </div>
        {page}
      </div>
    );
  }
  return (
    <div
      className={`${FRAME} ${bare ? '' : 'max-md:not-has-data-fills:pb-14'}
      ${shown ? '[--banner:48px]' : ''}`}
    >
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-raised px-4 py-3 focus:not-sr-only focus:fixed focus:top-2
          focus:left-2"
      >
        {t('skip')}
      </a>
      <Header gated={gated} />
      <ConsentHost gated={gated} bare={bare} />
      {shown
        ? (
          <div className="h-12 phone-landscape:hidden">
            <Extra>
              <Banner {...shown} />
            </Extra>
          </div>
        )
        : null}
      <div ref={measureNotices}>
        <Notices />
        {isModel && !gated
          ? (
            <Extra>
              <PerformerNotices bare={bare} />
            </Extra>
          )
          : null}
        <OpenRooms isBare={bare} />
      </div>
      {page}
      {bare ? null : (
        // Some pages fill the window only in one state, as the performer console does while live.
        <div className="unless-filled contents">
          <Footer gated={gated} />
          {gated ? null : <BottomBar />}
        </div>
      )}
    </div>
  );
}

/** Pages as high as the window leave room for the notices above them, however many there are. */
function measureNotices(notices: HTMLElement | null): (() => void) | undefined {
  const shell = notices?.parentElement;
  if (!notices || !shell) return undefined;
  const watch = new ResizeObserver(() => shell.style.setProperty('--notices', `${notices.offsetHeight}px`));
  watch.observe(notices);
  return () => watch.disconnect();
}

function OpenRooms({ isBare }: { isBare: boolean }) {
  const { open } = useOpenRooms();
  return open.length === 0 ? null : (
    <Extra>
      <RoomDock isBare={isBare} />
    </Extra>
  );
}

/** Notices about loading, a lost network, and what the person has yet to do. */
function Notices() {
  const user = useMe()?.user;
  return (
    <>
      <Extra>
        <LoadingBar />
      </Extra>
      <OfflineNotice />
      {user && !user.email_confirmed
        ? (
          <Extra>
            <HoldNotice tokens={user.free_tokens_on_hold} />
          </Extra>
        )
        : null}
      {user?.two_factor_required_by
        ? (
          <Extra>
            <StepNotice by={user.two_factor_required_by} atLogIn={user.two_factor_at_log_in} />
          </Extra>
        )
        : null}
      {user?.ways_in_to_check
        ? (
          <Extra>
            <WaysInNotice />
          </Extra>
        )
        : null}
    </>
  );
}

/**
 * After a navigation the focus moves to the page's heading, else to the page; on the first document it stays
 * where the browser put it.
 */
function useFocusOnArrival(main: React.RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    const target = main.current?.querySelector<HTMLElement>('h1') ?? main.current;
    target?.focus({ preventScroll: true });
  }, [main, pathname]);
}
