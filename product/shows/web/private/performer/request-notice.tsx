import { useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined, useLobby, useWhileAway } from '#platform/ui/calls/live.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { Bell, BellOff, Lock } from 'lucide-react';
import { Link, useLocation } from 'react-router';
import { getPrivateRequests, privateQueue } from '../../../client.ts';
import type { PrivateRequestView } from '../../../contract/private-show.ts';
import { changeQueue, useQueueAgain } from '../live.ts';
import { useRequestSound } from './request-sound.ts';

const CONSOLE = '/go-live';

/** Shown on a performer's pages without the request list: somebody is waiting, with a link to the list. */
export function RequestNotice() {
  const username = useMe()?.user.username ?? '';
  const { pathname } = useLocation();
  return [CONSOLE, `/${username}`].includes(pathname) ? null : <Waiting />;
}

function Waiting() {
  const ready = useTexts('shows');
  const cache = useCache();
  const lobby = useLobby();
  const { data } = useRead(getPrivateRequests, {}, useWhileAway(lobby));
  useEvent(lobby, privateQueue, ({ requests }) => changeQueue(cache, (known) => ({ ...known, requests })));
  useJoined(lobby, useQueueAgain());
  return ready && data ? <Notice requests={data.requests} /> : null;
}

function Notice({ requests }: { requests: readonly PrivateRequestView[] }) {
  const { t, i18n } = useTranslation('shows');
  const sound = useRequestSound(requests);
  const count = requests.length;
  const waiting = formatCount(count, i18n.language);
  return (
    <section
      aria-label={t('private.queue.title')}
      className="flex items-center gap-3 border-b border-line bg-raised px-4 py-2 text-sm empty:hidden"
    >
      {count === 0 ? null : (
        <>
          <Lock size={20} aria-hidden className="shrink-0 text-accent" />
          <p role="status" className="min-w-0 grow">
            <span>{t('private.queue.waiting', { count, waiting })}</span>{' '}
            <Link to={CONSOLE} className="inline-flex min-h-11 items-center text-link underline">
              {t('private.queue.open')}
            </Link>
          </p>
          <IconButton
            label={t('private.queue.sound')}
            pressed={sound.isOn}
            onClick={() => sound.turn(!sound.isOn)}
          >
            {sound.isOn ? <Bell size={20} aria-hidden /> : <BellOff size={20} aria-hidden />}
          </IconButton>
        </>
      )}
    </section>
  );
}
