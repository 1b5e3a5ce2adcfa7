import type { Problem } from '#platform/contract/client.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { Lock, Pin } from 'lucide-react';
import type { ReactNode } from 'react';
import type { TierView } from '../../contract.ts';
import type { PostView } from '../../contract/posts.ts';

/** How a reader can join a level that unlocks posts. */
export interface PostDoor {
  /** Levels that can be joined now. */
  readonly tiers: readonly TierView[];
  /** The level being paid for. */
  readonly busy: FanclubLevel | null;
  readonly onJoin: (tier: TierView, post: PostView) => void;
  /** Why the last attempt to join was refused, and on which post. */
  readonly refused: { readonly postId: number; readonly problem: Problem } | null;
}

interface PostCardProps {
  readonly post: PostView;
  /** Name of the performer. */
  readonly name: string;
  readonly door: PostDoor;
  /** The performer's actions on the post. */
  readonly children?: ReactNode;
}

/** A post: its text and picture, or the level that unlocks it. */
export function PostCard({ post, name, door, children }: PostCardProps) {
  const { t } = useTranslation('fanclubs');
  const { at, changed_at: changedAt, audience, is_pinned: isPinned, body, picture } = post;
  return (
    <Card className="flex flex-col gap-3 p-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-muted">
        <RelativeTime at={at} />
        {changedAt === null ? null : <span>{t('posts.edited')}</span>}
        {isPinned
          ? (
            <Pill>
              <Pin size={14} aria-hidden />
              {t('posts.pinned')}
            </Pill>
          )
          : null}
        {audience === 'everyone' ? null : <Pill>{t(`posts.audience.${audience}`)}</Pill>}
      </p>
      {body === null ? <Locked post={post} door={door} /> : (
        <p className="break-words whitespace-pre-line">
          <Typed>{body}</Typed>
        </p>
      )}
      {picture
        ? (
          <img
            src={picture.url}
            width={picture.width}
            height={picture.height}
            loading="lazy"
            alt={t('posts.picture', { name })}
            className="h-auto max-h-[70vh] w-auto max-w-full self-start rounded-card bg-raised"
          />
        )
        : null}
      {children}
    </Card>
  );
}

function Locked({ post, door: { tiers, busy, onJoin, refused } }: { post: PostView; door: PostDoor }) {
  const { t } = useTranslation('fanclubs');
  const { audience, has_picture: hasPicture } = post;
  if (audience === 'everyone') return null;
  const level = t(`level.${audience}`);
  const tier = tiers.find((item) => item.level === audience && item.charge !== null);
  return (
    <div className="flex flex-col gap-3 rounded-control border border-line bg-raised p-4">
      <p className="flex items-start gap-2">
        <Lock size={20} aria-hidden className="shrink-0 text-accent" />
        <span>
          {t(tier ? 'posts.locked' : 'posts.lockedMore', { level })}
          {hasPicture ? ` ${t('posts.lockedPicture')}` : null}
        </span>
      </p>
      {tier?.charge == null ? null : (
        <div className="flex flex-wrap items-center gap-3">
          <Button busy={busy === audience} disabled={busy !== null} onClick={() => onJoin(tier, post)}>
            {t('posts.unlock', { level })}
          </Button>
          <span className="text-sm text-muted">
            <TokenAmount tokens={tier.price} /> {t('tiers.month')}
          </span>
          {tier.charge === tier.price ? null : (
            <span className="text-sm text-muted">
              {t('tiers.now')} <TokenAmount tokens={tier.charge} />
            </span>
          )}
        </div>
      )}
      <FormError problem={refused?.postId === post.id ? refused.problem : null} />
    </div>
  );
}
