import { Suspense } from 'react';
import type { RoomDataView } from '../../../rooms/contract.ts';
import type { RoomLink } from '../../../rooms/web/live.ts';
import { messagingOnPage } from '../../../messaging/web/room-part.tsx';
import type { PagePartProps, RoomPagePart } from '../../../rooms/web/page-part.ts';
import { shopOnPage } from '../../../shop/web/room-part.tsx';
import { showsOnPage } from '../../../shows/web/room-part.tsx';
import { tipsOnPage } from '../../../tips/web/room/room-part.tsx';
import { useOpenPrompt } from '../shell/money-prompts.tsx';
import { TipHere } from './panels/tip-here.tsx';

/** What the page of a room is composed of beside chat and video: one line for each slice. */
const ROOM_PARTS: readonly RoomPagePart[] = [
  { ...tipsOnPage, Actions: TipHere },
  shopOnPage,
  showsOnPage,
  messagingOnPage,
];

export const PART_TEXTS: readonly string[] = ROOM_PARTS.flatMap(({ texts }) => texts);
export const PART_REDUCERS = ROOM_PARTS.flatMap(({ reducer }) => reducer ?? []);

interface RoomPartsProps {
  readonly position: 'Events' | 'Banner' | 'Actions' | 'About';
  readonly room: RoomDataView;
  readonly link: RoomLink;
}

/** What the parts show in one position of the page, in the order of the list. */
export function RoomParts({ position, room, link }: RoomPartsProps) {
  const openPrompt = useOpenPrompt();
  const props: PagePartProps = { room, link, onTokensMissing: () => openPrompt('low_tokens') };
  return ROOM_PARTS.map(({ [position]: Part }, at) =>
    (Part ? <Suspense key={at}><Part {...props} /></Suspense> : null));
}
