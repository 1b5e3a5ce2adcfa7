import { Pill } from '../../../platform/ui/surfaces/card.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { readPart } from '../../rooms/rules/room-part.ts';
import type { PagePartProps, RoomPagePart } from '../../rooms/web/page-part.ts';
import { messagingPart } from '../client.ts';
import { messagingReducer } from '../rules.ts';

/** The friendship of this viewer with the performer, if there is one. */
function FriendStatus({ room }: PagePartProps) {
  const { t } = useTranslation('messaging');
  const { friendStatus } = readPart(room, messagingPart).auth;
  return friendStatus === null ? null : <p><Pill>{t(`friend.${friendStatus}`)}</Pill></p>;
}

export const messagingOnPage: RoomPagePart = {
  texts: ['messaging'], reducer: messagingReducer, About: FriendStatus,
};
