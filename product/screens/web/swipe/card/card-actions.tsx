import { useAction } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import type { ListingEntryView } from '#product/browse/contract.ts';
import { follow, hidePerformer, messagingPart, unfollow } from '#product/messaging/client.ts';
import { showRelation } from '#product/messaging/web/live.ts';
import { useProblemToast } from '#product/messaging/web/problem-toast.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { DoorOpen, EyeOff, Heart } from 'lucide-react';

interface ActionsProps {
  readonly entry: ListingEntryView;
  /** Undefined until it is read. */
  readonly room: RoomDataView | undefined;
  readonly onHidden: () => void;
}

/** What a viewer can do with the performer on a card, besides tipping. */
export function CardActions({ entry, room, onHidden }: ActionsProps) {
  const { t } = useTranslation('screens');
  return (
    <div className="flex flex-wrap gap-2 [&>*]:grow [&>*]:px-2">
      <FollowSwitch entry={entry} room={room} />
      <Hide entry={entry} onHidden={onHidden} />
      <ButtonLink to={`/${entry.username}`} icon={<DoorOpen size={20} aria-hidden />}>
        {t('swipe.open')}
      </ButtonLink>
    </div>
  );
}

function FollowSwitch({ entry: { username, displayName: name }, room }: Omit<ActionsProps, 'onHidden'>) {
  const { t } = useTranslation('messaging');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const begin = useAction(follow, showRelation);
  const end = useAction(unfollow, showRelation);
  useProblemToast(begin.problem ?? end.problem);
  const isFollowing = room !== undefined && readPart(room, messagingPart).auth.isFollowing;
  // Followers can always unfollow.
  if (room && !isFollowing && !room.userSetting.followEnabled) return null;
  const act = async () => {
    if (!me && !(await askLogin('follow'))) return;
    // A viewer who has just logged in wanted to follow, and may be following already.
    await (me && isFollowing ? end : begin).run({ username });
  };
  return (
    <Button
      busy={begin.busy || end.busy}
      title={t(isFollowing ? 'follow.stop' : 'follow.start', { name })}
      icon={<Heart size={20} aria-hidden fill={isFollowing ? 'currentColor' : 'none'} />}
      onClick={() => void act()}
    >
      {t(isFollowing ? 'follow.done' : 'follow.do')}
    </Button>
  );
}

function Hide({ entry: { username, displayName: name }, onHidden }: Omit<ActionsProps, 'room'>) {
  const { t } = useTranslation('screens');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const say = useToast();
  const { run, busy, problem } = useAction(hidePerformer, showRelation);
  useProblemToast(problem);
  const act = async () => {
    if (!me && !(await askLogin('hide'))) return;
    if (!(await run({ username }))) return;
    say(t('swipe.hidden', { name }), 'success');
    onHidden();
  };
  return (
    <Button busy={busy} icon={<EyeOff size={20} aria-hidden />} onClick={() => void act()}>
      {t('swipe.hide')}
    </Button>
  );
}
