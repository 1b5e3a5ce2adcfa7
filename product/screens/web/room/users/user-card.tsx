import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Avatar } from '#platform/ui/surfaces/card.tsx';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { StaffBadge } from '#platform/ui/text/person-name.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { avatarAddress } from '#product/accounts/rules/avatar.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { Ignoring } from '#product/messaging/web/ignoring/ignoring.ts';
import type { ReportTarget } from '#product/moderation/web/target.ts';
import type { ModerationAction } from '#product/room-moderation/rules.ts';
import { ACTION_ICONS } from '#product/room-moderation/web/actions/actions.ts';
import type { CardOf } from '#product/rooms/web/person-card.tsx';
import { AtSign, BookUser, Flag, MessageSquareOff, MessageSquareText } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { tierOf } from './order.ts';
import { TierBadge } from './tier-badge.tsx';

/** Loaded for people about whom this viewer may write a note. */
const OwnNote = lazy(() => import('#product/messaging/web/own-note.tsx'));

interface UserCardProps {
  readonly user: CardOf;
  /** What this viewer may do to them; nothing else is offered. */
  readonly offers: readonly ModerationAction[];
  readonly onAct: (action: ModerationAction) => void;
  /** Null for guests, and on one's own card. */
  readonly onMention: (() => void) | null;
  /** This is the performer of the room. */
  readonly isPerformer: boolean;
  readonly ignoring: Ignoring;
  readonly onReport: (target: ReportTarget) => void;
  readonly onClose: () => void;
}

/** Who somebody in the room is, and what the viewer can do. */
export default function UserCard(props: UserCardProps) {
  const { user, offers, onAct, onMention, onClose } = props;
  const { t } = useTranslation('screens');
  const name = user.display_name;
  const me = useMe()?.user ?? null;
  const hasNote = me !== null && me.username !== user.username && !user.is_guest
    && (me.type === 'model' || user.is_model);
  return (
    <Dialog title={name} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <div className="flex items-center gap-3">
          <Avatar name={name} url={user.avatar && avatarAddress(user.avatar)} size={50} />
          <div className="min-w-0">
            <p className="text-sm break-all text-muted">
              {user.is_staff ? <StaffBadge /> : null}
              <span className="select-all">@{user.username}</span>
            </p>
            {user.isNameOnly ? null : (
              <p className="flex items-center gap-2 text-sm">
                {t(`room.users.tier.${tierOf(user)}`)} <TierBadge tier={tierOf(user)} />
              </p>
            )}
          </div>
        </div>
        {user.recentTips > 0
          ? (
            <p className="text-sm">
              {t('room.users.tipped')} <TokenAmount tokens={user.recentTips} className="font-bold" />
            </p>
          )
          : null}
        <div className="flex flex-wrap gap-2">
          {onMention
            ? (
              <Button icon={<AtSign size={20} aria-hidden />} onClick={onMention}>
                {t('room.users.mention')}
              </Button>
            )
            : null}
          {user.is_model
            ? (
              <ButtonLink to={`/${user.username}/bio`} icon={<BookUser size={20} aria-hidden />}>
                {t('room.bio', { name })}
              </ButtonLink>
            )
            : null}
          {offers.map((action) => {
            const Icon = ACTION_ICONS[action];
            return (
              <Button
                key={action}
                tone={action === 'ban' || action === 'kick' ? 'danger' : 'secondary'}
                icon={<Icon size={20} aria-hidden />}
                onClick={() => onAct(action)}
              >
                {t(`room-moderation:web.do.${action}`)}
              </Button>
            );
          })}
        </div>
        {me?.username === user.username || user.is_guest ? null : <OwnPeace {...props} />}
        {hasNote
          ? (
            <Suspense fallback={<Skeleton className="h-32" />}>
              <OwnNote username={user.username} name={name} />
            </Suspense>
          )
          : null}
      </div>
    </Dialog>
  );
}

/** Ignoring and reporting: nobody in the room is notified of either. */
function OwnPeace({ user, isPerformer, ignoring, onReport }: UserCardProps) {
  const { t } = useTranslation('messaging');
  const { username, display_name: name } = user;
  const isMember = useMe() !== null;
  const isIgnored = ignoring.usernames.has(username);
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-3">
      {!isMember || ((isPerformer || user.is_moderator) && !isIgnored)
        ? null
        : isIgnored
        ? (
          <Button
            tone="quiet"
            icon={<MessageSquareText size={20} aria-hidden />}
            onClick={() => ignoring.unignore({ username, name })}
          >
            {t('ignore.end', { name })}
          </Button>
        )
        : (
          <Button
            tone="quiet"
            icon={<MessageSquareOff size={20} aria-hidden />}
            onClick={() => ignoring.ignore({ username, name })}
          >
            {t('ignore.do', { name })}
          </Button>
        )}
      <Button
        tone="quiet"
        icon={<Flag size={20} aria-hidden />}
        onClick={() => onReport({ kind: 'person', username, name })}
      >
        {t('moderation:report.do.person', { name })}
      </Button>
    </div>
  );
}
