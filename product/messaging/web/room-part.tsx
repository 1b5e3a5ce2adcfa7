import { Pill } from '#platform/ui/surfaces/card.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps, RoomPagePart } from '#product/rooms/web/page-part.ts';
import { messagingPart } from '../client.ts';
import { messagingReducer } from '../rules.ts';
import { FollowButton } from './follow-button.tsx';
import { HideControl } from './hide-control.tsx';

/** This viewer's relation to the performer: friendship, if there is one, and hiding. */
function Relation(props: PagePartProps) {
  const { t } = useTranslation('messaging');
  const { friendStatus } = readPart(props.room, messagingPart).auth;
  return (
    <>
      {friendStatus === null ? null : (
        <p>
          <Pill>{t(`friend.${friendStatus}`)}</Pill>
        </p>
      )}
      <HideControl {...props} />
    </>
  );
}

export const messagingOnPage: RoomPagePart = {
  texts: ['messaging'],
  reducer: messagingReducer,
  Bar: FollowButton,
  About: Relation,
};
