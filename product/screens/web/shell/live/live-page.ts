import type { CallFunction } from '#platform/contract/client.ts';
import { clientVersion, refresh } from '#platform/contract/sockets/client.ts';
import type { LiveClient } from '#platform/contract/sockets/socket-client.ts';
import { AUTHORIZE_FAILURES } from '#platform/contract/sockets/wire.ts';
import { createLiveClient } from '#platform/realtime/browser.ts';
import { keyOf, type KeyOf } from '#platform/text/message-keys.ts';
import { raiseFault } from '#platform/ui/faults/faults.ts';
import { saveTyped } from '#platform/ui/faults/typed.ts';
import { getCurrentUser } from '#product/accounts/client.ts';
import { isAuthenticated } from '#product/accounts/rules.ts';
import { reportSocketFailure } from '#product/site/client.ts';

interface PageDependencies {
  readonly call: CallFunction;
  /** Version of this page's scripts. */
  readonly version: string;
  /** Who the page was made for; null for guests. */
  readonly person: number | null;
  /** Shows why a socket was not let in: a key of the texts of `screens`. */
  readonly onFailed: (key: KeyOf<'screens'>) => void;
  /** The session of that person has ended, before a socket could report it. */
  readonly onSessionEnded: () => void;
}

/** How often an outdated page checks whether it was left: a navigation then feels like a link. */
const LOOK_EVERY_MS = 250;

/**
 * Loads the page of the next navigation from the server, with its current scripts. The router notifies only
 * components of a navigation, and a component would be in the first script of every page.
 */
function reloadOnLeave(): void {
  const { pathname } = window.location;
  const timer = setInterval(() => {
    if (window.location.pathname === pathname) return;
    clearInterval(timer);
    window.location.reload();
  }, LOOK_EVERY_MS);
}

/**
 * A session counts as ended when it is still reported ended after this long: another session may replace it
 * (`v3.session.replaced`), whose cookie is on its way with the answer that created it.
 */
const ENDED_AFTER_MS = 2_000;

/** The version that this tab reloaded for: if the server reports it again, there is no second reload. */
const RELOADED_FOR = 'reloadedFor';

const isOurs = (code: string): boolean => (AUTHORIZE_FAILURES as readonly string[]).includes(code);

/** The text for a code of `v3.authorize.failed`. */
export const failureText = (code: string): KeyOf<'screens'> =>
  keyOf('screens', 'sockets', isOurs(code) ? code : 'other');

/**
 * The started live client of a page, and the page's reactions to its sockets. Loaded when a page needs
 * sockets: a guest's first listing does not.
 */
export function openLive({ call, version, person, onFailed, onSessionEnded }: PageDependencies): LiveClient {
  const ask = async (): Promise<{ readonly token: string; readonly isOver: boolean }> => {
    const { node_token: token, user } = await call(getCurrentUser, {});
    return { token, isOver: person !== null && (!isAuthenticated(user) || user.id !== person) };
  };
  const askToken: typeof ask = async () => {
    const asked = await ask();
    if (!asked.isOver) return asked;
    await new Promise((wait) => setTimeout(wait, ENDED_AFTER_MS));
    const again = await ask();
    if (again.isOver) onSessionEnded();
    return again;
  };
  const client = createLiveClient({
    version,
    token: async () => (await askToken()).token,
    report: (fault, cause) => {
      // oxlint-disable-next-line no-console -- the specification asks for the console
      console.warn('socket', fault, cause);
      raiseFault({ kind: 'note', text: `socket ${fault}` });
    },
    onOutage: () => {
      // Best effort: without a network the report cannot arrive either.
      call(reportSocketFailure, { server: window.location.host }).catch(() => undefined);
    },
    // The room's own page shows why a room refuses; an expired token is retried automatically.
    onFailed: (code, room) => {
      if (room !== null && !isOurs(code)) return;
      const says = () => onFailed(failureText(code));
      if (code !== 'token_invalid' || person === null) says();
      // The session may have ended after the token was made.
      else void askToken().then(({ isOver }) => isOver || says(), says);
    },
  });
  client.lobby.on(refresh, () => {
    saveTyped();
    window.location.reload();
  });
  client.lobby.on(clientVersion, ({ version: served }) => {
    if (sessionStorage.getItem(RELOADED_FOR) === served) return;
    sessionStorage.setItem(RELOADED_FOR, served);
    raiseFault({ kind: 'version', version: served });
    reloadOnLeave();
  });
  client.start();
  return client;
}
