import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import type { OpenMoneyPrompt } from '#product/rooms/web/page-part.ts';
import { HeartOff } from 'lucide-react';
import { useState } from 'react';
import { getFans } from '../client.ts';
import type { MembershipView, TierView } from '../contract.ts';
import type { PostView } from '../contract/posts.ts';
import { JoinDialog } from './join/join-dialog.tsx';
import { MembershipLine, PlanButtons } from './join/own-membership.tsx';
import { Tiers } from './join/tiers.tsx';
import { useJoining } from './join/use-joining.ts';
import type { NewPosts } from './live.ts';
import { PostsSection } from './posts/posts.tsx';

interface FanclubProps {
  readonly username: string;
  /** Connection on which post events are followed. */
  readonly connection: Connection | null;
  readonly onMoneyPrompt: OpenMoneyPrompt;
  /** New posts, if the surrounding page follows them already. */
  readonly news?: NewPosts;
}

/** A fan club: its description, its levels, and the viewer's membership. */
export default function Fanclub({ username, connection, onMoneyPrompt, news }: FanclubProps) {
  const { t, i18n } = useTranslation('fanclubs');
  const { data, error, refetch } = useRead(getFans, { username, profile: '1' });
  const me = useMe();
  const askLogin = useLoginPrompt();
  const toast = useToast();
  const { busy, problem, join, clear } = useJoining(username, onMoneyPrompt);
  const [pressedPost, setPressedPost] = useState<number | null>(null);
  const [asking, setAsking] = useState<FanclubLevel | null>(null);
  if (!data?.profile) {
    return error
      ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
      : <Skeleton className="h-64" />;
  }
  const { profile, membership } = data;
  const { display_name: name, description, tiers, member_count: count } = profile;
  const shownProblem = problem && { ...problem, message: problem.message || t('noAnswer') };
  const press = async ({ level }: TierView, post: PostView | null = null) => {
    setPressedPost(post?.id ?? null);
    if (!me && !(await askLogin('fanclub'))) return;
    clear();
    setAsking(level);
  };
  // The cost is read again after a log-in, and after a refusal.
  const asked = tiers.find(({ level }) => level === asking);
  const pay = async (level: FanclubLevel, charge: number) => {
    const outcome = await join(level, charge);
    if (outcome === 'joined') toast(t('joined', { name, level: t(`level.${level}`) }), 'success');
    if (outcome !== 'refused') setAsking(null);
  };
  const owner = me?.user.username === username ? { isOpen: profile.enabled } : null;
  const posts = profile.enabled || membership !== null || owner
    ? (
      <PostsSection
        username={username}
        name={name}
        owner={owner}
        connection={connection}
        news={news}
        door={{
          tiers,
          busy,
          onJoin: (tier, post) => void press(tier, post),
          refused: pressedPost !== null && asking === null && shownProblem
            ? { postId: pressedPost, problem: shownProblem }
            : null,
        }}
      />
    )
    : null;
  // Members come for the posts, everybody else to see what joining offers.
  const comesFirst = membership !== null || owner !== null;
  return (
    <div className="@container flex flex-col gap-4">
      {membership ? <OwnMembership membership={membership} name={name} tiers={tiers} /> : null}
      {description === '' ? null : (
        <p className="break-words whitespace-pre-line">
          <Typed>{description}</Typed>
        </p>
      )}
      {comesFirst ? posts : null}
      {profile.enabled
        ? (
          <>
            {count === 0 ? null : (
              <p className="text-sm text-muted">
                {t('members', { count, amount: formatCount(count, i18n.language) })}
              </p>
            )}
            <Tiers
              tiers={tiers}
              own={membership?.level ?? null}
              busy={busy}
              onJoin={(tier) => void press(tier)}
            />
            <FormError problem={pressedPost === null && asking === null ? shownProblem : null} />
            <p className="text-sm text-muted">{t('terms')}</p>
          </>
        )
        : <EmptyState icon={<HeartOff size={28} aria-hidden />} text={t('closed', { name })} />}
      {comesFirst ? null : posts}
      {asked && asked.charge !== null
        ? (
          <JoinDialog
            name={name}
            tier={{ ...asked, charge: asked.charge }}
            membership={membership}
            busy={busy !== null}
            problem={shownProblem}
            onReject={() => setAsking(null)}
            onAccept={() => void pay(asked.level, asked.charge ?? 0)}
          />
        )
        : null}
    </div>
  );
}

/** The reader's membership of the club, and what happens next. */
function OwnMembership({ membership, name, tiers }: {
  membership: MembershipView;
  name: string;
  tiers: readonly TierView[];
}) {
  const { t } = useTranslation('fanclubs');
  return (
    <section
      aria-label={t('own.title')}
      className="flex flex-col gap-3 rounded-card border border-line bg-raised p-4"
    >
      <MembershipLine membership={membership} />
      <PlanButtons membership={membership} name={name} prices={tiers} />
    </section>
  );
}
