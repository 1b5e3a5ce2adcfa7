import { useEvent } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { groupGoalChanged, groupGoalEnded, showsPart } from '../../client.ts';
import { useOwnGoalAgain } from './live.ts';

/** Shows how a group goal ended: to everybody if it was reached, else to the performer and contributors. */
export function GoalEvents({ room, link: { connection } }: PagePartProps) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const again = useOwnGoalAgain();
  const { isStreamer } = room.auth;
  const own = readPart(room, showsPart).groupGoal?.own ?? 0;
  useEvent(connection, groupGoalChanged, () => {
    if (isStreamer) again();
  });
  useEvent(connection, groupGoalEnded, ({ title, reason_ended: reason }) => {
    if (isStreamer) again();
    if (reason === 'reached') toast(t('goal.reached', { title }), 'success');
    else if (isStreamer) toast(t('goal.overOwn'));
    else if (own > 0) toast(t('goal.over', { title }), 'news', { stays: true });
  });
  return null;
}
