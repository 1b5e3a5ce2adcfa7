import { normalizeUsername } from '#platform/text/usernames.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData, type RouteHandle } from '#platform/ui/calls/route.ts';
import { Title } from '#platform/ui/surfaces/page.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Player } from '#product/broadcast/web/player/player.tsx';
import { useGate } from '#product/compliance/web/gate.ts';
import { getRoom } from '#product/rooms/client.ts';
import { mayFinishStream, maySeeStream } from '#product/rooms/rules.ts';
import { conditionsOf } from '#product/rooms/rules/room-data.ts';
import { getSiteConfig } from '#product/site/client.ts';
import { useParams } from 'react-router';

/**
 * A document for frames on other sites. Nothing in it acts for the viewer: a click opens the room in a new
 * tab. Search engines index the room instead.
 */
export const handle: RouteHandle = {
  alone: true,
  policy: () => ({ framedByAnyone: true, framesLocked: true, formsLocked: true }),
  head: ({ params }) => ({
    canonical: `/${normalizeUsername(params['username'] ?? '')}`,
    isIndexed: false,
  }),
};
const load = routeData({
  texts: ['browse', 'broadcast', 'rooms'],
  reads: ({ params }) => [read(getRoom, { username: normalizeUsername(params['username'] ?? '') })],
});
export { load as clientLoader, load as loader };

/** A room's video for other sites; before the entry gate only a link to it. */
export default function EmbedPage() {
  const { t } = useTranslation('browse');
  const username = normalizeUsername(useParams()['username'] ?? '');
  const isOpen = useGate().gate === 'open';
  const { data: config } = useRead(getSiteConfig, {}, { enabled: false });
  const site = config?.site.display_name ?? '';
  return (
    <main className="flex h-dvh flex-col bg-black">
      <Title>{username}</Title>
      <h1 className="sr-only">{site}</h1>
      <div className="min-h-0 grow">
        {isOpen ? <Video username={username} /> : <Words text={t('embed.gate', { site })} />}
      </div>
      <a
        href={`/${encodeURIComponent(username)}`}
        target="_blank"
        rel="noopener"
        className="flex min-h-11 items-center justify-center bg-surface px-4 text-sm font-bold text-link
          hover:underline"
      >
        {t('embed.watch', { site })}
      </a>
    </main>
  );
}

const Words = ({ text }: { text: string }) => (
  <p className="flex size-full items-center justify-center bg-surface p-4 text-center text-sm">{text}</p>
);

function Video({ username }: { username: string }) {
  const { t } = useTranslation('browse');
  const read = useRead(getRoom, { username });
  const room = read.data;
  if (!room && read.error) {
    return (
      <div className="size-full overflow-y-auto bg-surface p-4">
        <ReadError read={read} />
      </div>
    );
  }
  if (!room) return <Words text={t('loading')} />;
  const name = room.user.displayName;
  return (
    <Player
      username={username}
      live={maySeeStream(conditionsOf(room))}
      stream={room.stream.stream_name}
      interrupted={room.chat.status === 'reconnecting'}
      finishes={mayFinishStream(conditionsOf(room))}
      label={t('seo.feedItem', { name })}
      cover={<Words text={t('embed.off', { name })} />}
    />
  );
}
