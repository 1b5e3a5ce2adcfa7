import { useAction } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { Heart } from 'lucide-react';
import { follow, messagingPart, unfollow } from '../client.ts';
import { showRelation } from './live.ts';
import { useProblemToast } from './problem-toast.ts';

/** Beside the performer's name: a button to follow or stop following, with the number of followers. */
export function FollowButton({ room }: PagePartProps) {
  const { t, i18n } = useTranslation('messaging');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const begin = useAction(follow, showRelation);
  const end = useAction(unfollow, showRelation);
  useProblemToast(begin.problem ?? end.problem);
  const { auth: { isFollowing }, user: { follower } } = readPart(room, messagingPart);
  const { username, displayName: name } = room.user;
  if (room.auth.isStreamer) return <Followers count={follower.countTotal} />;
  // Followers may always stop following.
  if (!isFollowing && !room.userSetting.followEnabled) return null;
  const press = async () => {
    if (!me && !(await askLogin('follow'))) return;
    // After a log-in the button still means “Follow”, even if the person already followed.
    const action = me && isFollowing ? end : begin;
    await action.run({ username });
  };
  const count = new Intl.NumberFormat(i18n.language, { notation: 'compact' }).format(follower.countTotal);
  return (
    <Button
      busy={begin.busy || end.busy}
      title={t(isFollowing ? 'follow.stop' : 'follow.start', { name })}
      onClick={() => void press()}
      icon={<Heart size={20} aria-hidden fill={isFollowing ? 'currentColor' : 'none'} />}
    >
      <span className="max-sm:sr-only">{t(isFollowing ? 'follow.done' : 'follow.do')}</span>{' '}
      <Followers count={follower.countTotal} shown={count} />
    </Button>
  );
}

/** The number of followers. */
function Followers({ count, shown }: { count: number; shown?: string }) {
  const { t, i18n } = useTranslation('messaging');
  const amount = formatCount(count, i18n.language);
  return (
    <span className="tabular text-sm">
      <span aria-hidden className="max-[359px]:hidden">{shown ?? amount}</span>
      <span className="sr-only">{t('follow.count', { count, amount })}</span>
    </span>
  );
}
