import { Hexagon, Info, MessageCircle, Users } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { isRouteErrorResponse, useParams, useRouteError } from 'react-router';
import type { OutputOf } from '../../../platform/contract/call.ts';
import type { Problem } from '../../../platform/contract/client.ts';
import { useRead } from '../../../platform/ui/calls/calls.ts';
import { needs, read } from '../../../platform/ui/calls/route.ts';
import { ButtonLink } from '../../../platform/ui/controls/button.tsx';
import { Avatar, Card, Pill } from '../../../platform/ui/surfaces/card.tsx';
import { Title } from '../../../platform/ui/surfaces/page.tsx';
import { ErrorState } from '../../../platform/ui/surfaces/states.tsx';
import { RelativeTime } from '../../../platform/ui/text/amounts.tsx';
import { useLoginPrompt } from '../../accounts/web/login-prompt.tsx';
import { useMe } from '../../accounts/web/me.ts';
import { Player } from '../../broadcast/web/player.tsx';
import { getRoom } from '../../rooms/contract.ts';
import { isWatchable, normalizeUsername } from '../../rooms/rules.ts';
import { ChatInput } from '../../rooms/web/chat-input.tsx';
import { ChatList } from '../../rooms/web/chat-list.tsx';
import { useRoom, type RoomLink } from '../../rooms/web/live.ts';
import { TipPanel } from '../../tips/web/tip-panel.tsx';
import { useGetTokens } from './shell/get-tokens-prompt.tsx';

type Room = OutputOf<typeof getRoom>;

export const handle = { bare: true };
const loadRoom = needs({
  texts: ['rooms', 'broadcast', 'tips'],
  reads: ({ params }) => [read(getRoom, { username: normalizeUsername(params['username'] ?? '') })],
});
export { loadRoom as loader, loadRoom as clientLoader };

/** The live room: video, chat, tips, and who it is (docs/look.md, Room). */
export default function RoomPage() {
  const username = normalizeUsername(useParams()['username'] ?? '');
  const { data: room } = useRead(getRoom, { username });
  return room ? <RoomView key={username} room={room} /> : null;
}

type Part = 'chat' | 'tip' | 'about';

function RoomView({ room }: { room: Room }) {
  const { t } = useTranslation('screens');
  const [part, setPart] = useState<Part>('chat');
  const link = useRoom(room.user.username);
  const { user, chat } = room;
  const shownOn = (own: Part) => (part === own ? '' : 'max-lg:hidden');
  return (
    <div className="flex h-[calc(100dvh-56px)] flex-col lg:grid lg:grid-cols-[minmax(0,1fr)_360px]">
      <Title>{room.seo.title}</Title>
      <h1 className="sr-only">{room.seo.h1}</h1>
      <div className="flex min-h-0 flex-col max-lg:contents lg:overflow-y-auto">
        <div className="aspect-video max-h-[62dvh] w-full shrink-0 bg-black max-lg:max-h-[45dvh]">
          <Player username={user.username} live={isWatchable(chat.status)}
            interrupted={chat.status === 'reconnecting'} cover={<Cover room={room} />}
            label={t('room.video', { name: user.displayName })} />
        </div>
        <RoomBar room={room} count={link.userCount ?? chat.userCount} />
        <PartSwitch part={part} onChange={setPart} />
        <div className="grid gap-4 p-4 max-lg:contents xl:grid-cols-2">
          <Card className={`p-4 max-lg:min-h-0 max-lg:grow max-lg:overflow-y-auto max-lg:rounded-none
            max-lg:border-0 ${shownOn('tip')}`}>
            <TipHere room={room} />
          </Card>
          <Card className={`p-4 max-lg:min-h-0 max-lg:grow max-lg:overflow-y-auto max-lg:rounded-none
            max-lg:border-0 ${shownOn('about')}`}>
            <About room={room} />
          </Card>
        </div>
      </div>
      <section aria-label={t('room.chat')}
        className={`flex min-h-0 grow flex-col border-line bg-surface lg:border-l ${shownOn('chat')}`}>
        <ChatHere link={link} />
      </section>
    </div>
  );
}

/** The own chat column, also used by the control room of the performer. */
export function ChatHere({ link }: { link: RoomLink }) {
  const { t } = useTranslation('screens');
  const me = useMe();
  const askLogin = useLoginPrompt();
  return (
    <>
      <ChatList messages={link.messages} empty={t('room.chatEmpty')} />
      <ChatInput guest={!me} joined={link.joined} refused={link.refused} onSay={link.say}
        onLogin={() => void askLogin('chat')} />
    </>
  );
}

function TipHere({ room }: { room: Room }) {
  const { t } = useTranslation('screens');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const getTokens = useGetTokens();
  if (room.auth.isStreamer) return <p className="text-sm text-muted">{t('room.ownRoom')}</p>;
  return (
    <TipPanel username={room.user.username} displayName={room.user.displayName} guest={!me}
      balance={me?.tokens ?? 0} onLogin={() => void askLogin('tip')} onNeedTokens={getTokens} />
  );
}

function RoomBar({ room, count }: { room: Room; count: number }) {
  const { t } = useTranslation('screens');
  const { user, chat } = room;
  return (
    <div className="flex items-center gap-3 border-b border-line px-4 py-2">
      <Avatar name={user.displayName} url={user.avatarUrl} size={32} />
      <div className="min-w-0 grow">
        <p className="flex items-center gap-2 font-bold">
          <span className="truncate">{user.displayName}</span>
          {isWatchable(chat.status) ? <Pill tone="live">{t('room.live')}</Pill> : null}
        </p>
        <p className="truncate text-sm text-muted">{chat.subjectText || `@${user.username}`}</p>
      </div>
      <p className="tabular flex items-center gap-1 text-sm text-muted">
        <Users size={16} aria-hidden />
        <span aria-hidden data-testid="user-count">{count}</span>
        <span className="sr-only">{t('room.inRoom', { count })}</span>
      </p>
    </div>
  );
}

/** On a phone one part shows at a time; on a wide window all of them. */
function PartSwitch({ part, onChange }: { part: Part; onChange: (part: Part) => void }) {
  const { t } = useTranslation('screens');
  const parts: readonly [Part, ReactNode][] = [
    ['chat', <MessageCircle key="chat" size={20} aria-hidden />],
    ['tip', <Hexagon key="tip" size={20} aria-hidden />],
    ['about', <Info key="about" size={20} aria-hidden />],
  ];
  return (
    <div role="group" aria-label={t('room.parts')} className="flex shrink-0 border-b border-line lg:hidden">
      {parts.map(([key, icon]) => (
        <button
          key={key}
          type="button"
          aria-pressed={part === key}
          onClick={() => onChange(key)}
          className="flex min-h-11 grow items-center justify-center gap-2 border-b-2 border-transparent
            text-sm font-medium text-muted aria-pressed:border-pink aria-pressed:text-text">
          {icon}
          {t(`room.part.${key}`)}
        </button>
      ))}
    </div>
  );
}

function About({ room }: { room: Room }) {
  const { t } = useTranslation('screens');
  const { user, chat } = room;
  return (
    <section aria-labelledby="about-title" className="flex flex-col gap-3">
      <h2 id="about-title" className="text-lg font-bold">{t('room.about', { name: user.displayName })}</h2>
      <p className="whitespace-pre-line break-words">{user.about || t('room.noAbout')}</p>
      {user.tagListNew.length ? (
        <ul className="flex flex-wrap gap-2" aria-label={t('room.tags')}>
          {user.tagListNew.map((tag) => <li key={tag}><Pill>#{tag}</Pill></li>)}
        </ul>
      ) : null}
      {chat.lastOnlineAt && !isWatchable(chat.status) ? (
        <p className="text-sm text-muted">{t('room.lastOnline')} <RelativeTime at={chat.lastOnlineAt} /></p>
      ) : null}
    </section>
  );
}

/** What stands in the video's place while there is no picture. */
function Cover({ room }: { room: Room }) {
  const { t } = useTranslation('screens');
  const { user, chat } = room;
  const picture = user.offlinePictureUrl ?? user.profilePictureUrl;
  return (
    <div className="relative flex size-full items-center justify-center">
      {picture ? (
        <img src={picture} alt="" className="absolute size-full object-cover opacity-40 blur-sm" />
      ) : null}
      <div className="relative flex flex-col items-center gap-3 p-4 text-center">
        {chat.status === 'offline' ? (
          <>
            <p className="text-lg font-bold">{t('room.offline', { name: user.displayName })}</p>
            <ButtonLink to="/" tone="secondary">
              {t('room.whoIsLive')}
            </ButtonLink>
          </>
        ) : null}
        {chat.status === 'reconnecting' ? <p>{t('room.reconnecting', { name: user.displayName })}</p> : null}
      </div>
    </div>
  );
}

/** The room did not load: status, text and live rooms to go to instead (spec 2 §7, §8: user_error). */
export function ErrorBoundary() {
  const { t } = useTranslation('screens');
  const error = useRouteError();
  const problem = isRouteErrorResponse(error) ? error.data as Partial<Problem> : null;
  const suggestions = Array.isArray(problem?.['suggestions']) ? problem['suggestions'] as string[] : [];
  return (
    <div className="mx-auto max-w-xl px-4 py-12" data-room-error={problem?.status ?? 500}>
      <Title>{t('room.errorTitle')}</Title>
      <h1 className="text-center text-xl font-bold">{t('room.errorTitle')}</h1>
      <ErrorState problem={{ message: problem?.message || t('room.error'), reference: problem?.reference }} />
      {suggestions.length ? (
        <section aria-labelledby="suggestions">
          <h2 id="suggestions" className="pb-3 text-center text-sm text-muted">{t('room.suggestions')}</h2>
          <ul className="flex flex-wrap justify-center gap-2">
            {suggestions.map((name) => (
              <li key={name}><ButtonLink to={`/${name}`}>{name}</ButtonLink></li>
            ))}
          </ul>
        </section>
      ) : <p className="text-center"><ButtonLink to="/">{t('room.whoIsLive')}</ButtonLink></p>}
    </div>
  );
}
