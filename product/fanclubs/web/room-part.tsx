import { lazy } from 'react';
import { useEvent } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { PagePartProps, RoomPagePart } from '#product/rooms/web/page-part.ts';
import { fansError } from '../client.ts';
import { useMembershipEvents } from './live.ts';

/** After chat and video, as the other actions that few come for. */
const FanclubControls = lazy(() => import('./room-controls.tsx'));

/** A renewal that failed, and memberships that changed elsewhere. */
function FanclubEvents({ link: { connection } }: PagePartProps) {
  const { t } = useTranslation('fanclubs');
  const toast = useToast();
  useMembershipEvents(connection);
  useEvent(connection, fansError, ({ display_name: name, grace_until: grace }) =>
    toast(t(grace === null ? 'error.ended' : 'error.renewal', { name }), 'error'));
  return null;
}

export const fanclubsOnPage: RoomPagePart = {
  texts: ['fanclubs'], Events: FanclubEvents, Actions: FanclubControls,
};
