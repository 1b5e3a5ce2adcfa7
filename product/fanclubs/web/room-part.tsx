import { useEvent } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { PagePartProps, RoomPagePart } from '#product/rooms/web/page-part.ts';
import { lazy } from 'react';
import { fansError } from '../client.ts';
import { useMembershipEvents } from './live.ts';

/** Loaded after chat and video, like other rarely used actions. */
const FanclubControls = lazy(() => import('./room-controls.tsx'));

/** Handles failed renewals, and memberships changed elsewhere. */
function FanclubEvents({ link: { connection } }: PagePartProps) {
  const { t } = useTranslation('fanclubs');
  const toast = useToast();
  useMembershipEvents(connection);
  useEvent(
    connection,
    fansError,
    ({ display_name: name, grace_until: grace }) =>
      toast(t(grace === null ? 'error.ended' : 'error.renewal', { name }), 'error'),
  );
  return null;
}

export const fanclubsOnPage: RoomPagePart = {
  texts: ['fanclubs'],
  Events: FanclubEvents,
  Actions: FanclubControls,
};
