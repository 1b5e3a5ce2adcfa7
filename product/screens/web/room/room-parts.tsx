import type { QualifiedKey } from '#platform/text/message-keys.ts';
import { fanclubsOnPage } from '#product/fanclubs/web/room-part.tsx';
import { messagingOnPage } from '#product/messaging/web/room-part.tsx';
import { moderationOnPage } from '#product/moderation/web/room-part.tsx';
import { roomAppsOnPage } from '#product/room-apps/web/room-part.tsx';
import type { RoomDataView } from '#product/rooms/contract.ts';
import type { ChatStatus, StreamStatus } from '#product/rooms/rules.ts';
import type { RoomLink } from '#product/rooms/web/live.ts';
import type { PagePartProps, RoomPagePart, StreamCover } from '#product/rooms/web/page-part.ts';
import { shopOnPage } from '#product/shop/web/room-part.tsx';
import { showsOnPage } from '#product/shows/web/room-part.tsx';
import { tipsOnPage } from '#product/tips/web/room/room-part.tsx';
import { Suspense, useState, type ReactNode } from 'react';
import { useOpenPrompt } from '../shell/money-prompts.tsx';

/** The parts of a room's page besides chat and video: one line for each slice. */
export const ROOM_PARTS: readonly RoomPagePart[] = [
  tipsOnPage,
  showsOnPage,
  fanclubsOnPage,
  shopOnPage,
  messagingOnPage,
  moderationOnPage,
  roomAppsOnPage,
];

export const PART_TEXTS: readonly string[] = ROOM_PARTS.flatMap(({ texts }) => texts);
export const PART_REDUCERS = ROOM_PARTS.flatMap(({ reducer }) => reducer ?? []);

/** What a part shows in place of the video at this status, or null. */
export const coverOf = (status: StreamStatus): StreamCover | null =>
  ROOM_PARTS.find(({ covers }) => covers?.[status])?.covers?.[status] ?? null;

/** Key of the badge that a part shows at this status, or null. */
export const badgeOf = (status: ChatStatus): QualifiedKey | null =>
  ROOM_PARTS.find(({ badges }) => badges?.[status])?.badges?.[status] ?? null;

interface RoomPartsProps {
  readonly position: 'Events' | 'Bar' | 'Over' | 'State' | 'Actions' | 'Banner' | 'About';
  readonly room: RoomDataView;
  readonly link: RoomLink;
  /** Usernames that this viewer ignores; none by default. */
  readonly ignored?: ReadonlySet<string>;
}

/** What the parts show under lines of the chat, by message id. */
export function useLineActions(room: RoomDataView, link: RoomLink): ReadonlyMap<number, ReactNode> {
  const [nobody] = useState(() => new Set<string>());
  const props: PagePartProps = { room, link, ignored: nobody, onMoneyPrompt: useOpenPrompt() };
  return new Map(ROOM_PARTS.flatMap(({ ChatLine }) => {
    const id = ChatLine?.of(room) ?? null;
    if (!ChatLine || id === null) return [];
    return [[
      id,
      <Suspense key={id}>
        <ChatLine.Action {...props} />
      </Suspense>,
    ]];
  }));
}

/** What the parts show at one position of the page, in the order of the list. */
export function RoomParts({ position, room, link, ignored }: RoomPartsProps) {
  const openPrompt = useOpenPrompt();
  const [nobody] = useState(() => new Set<string>());
  const props: PagePartProps = { room, link, ignored: ignored ?? nobody, onMoneyPrompt: openPrompt };
  return ROOM_PARTS.map(({ [position]: Part }, at) => (Part
    ? (
      <Suspense key={at}>
        <Part {...props} />
      </Suspense>
    )
    : null)
  );
}
