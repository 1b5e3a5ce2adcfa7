import { problemOf, useAction, useRead } from '#platform/ui/calls/calls.ts';
import { describedBy } from '#platform/ui/calls/head.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, ErrorState, FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { Heart } from 'lucide-react';
import { useState } from 'react';
import { getExperiments, getLikes, giveLike } from '../../client.ts';
import type { LikesView } from '../../contract/likes.ts';
import { Board, TopUserCard } from './board.tsx';
import { likeGiven } from './live.ts';

const load = routeData({ texts: ['browse'], reads: () => [read(getLikes, {})] });
export { load as clientLoader, load as loader };
export const handle = describedBy((language) => language.translator('browse')('likes.lead'));

/** The most liked of this month and of earlier months, and the person's own likes. */
export default function MostLikedPage() {
  const { t } = useTranslation('browse');
  const { data, error, refetch } = useRead(getLikes, {});
  const { run, busy, problem } = useAction(giveLike, likeGiven);
  const like = (username: string) => run({ username });
  return (
    <Wide title={t('likes.title')} lead={t('likes.lead')}>
      <Invitation />
      {data
        ? (
          <div className="grid gap-8 lg:grid-cols-[2fr_1fr]">
            <div className="flex min-w-0 flex-col gap-4">
              <Own likes={data} />
              <FormError problem={problem} />
              <Leaderboard likes={data} busy={busy} onLike={like} />
            </div>
            <Winners likes={data} />
          </div>
        )
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : <Skeleton className="h-96" />}
    </Wide>
  );
}

/** Compares four wordings (/experiments). Its space is reserved, because the draw loads after the page. */
function Invitation() {
  const { t } = useTranslation('browse');
  const read = useRead(getExperiments, {});
  const variant = read.data?.experiments.find(({ name }) => name === 'likeInvitation')?.variant;
  return (
    <div className="mb-6 min-h-12 sm:min-h-6">
      {variant ? <p>{t(`likes.invite.${variant}`)}</p> : <ReadError read={read} />}
    </div>
  );
}

interface PartProps {
  readonly likes: LikesView;
  readonly busy: boolean;
  readonly onLike: (username: string) => Promise<unknown>;
}

/** The person's own count and position, and a field to like somebody who is not on the board yet. */
function Own(
  { likes: { user_like_count: count, user_position: position } }: Pick<PartProps, 'likes'>,
) {
  const { t } = useTranslation('browse');
  const me = useMe();
  const ask = useLoginPrompt();
  if (!me || count === null) {
    return (
      <Card className="flex flex-wrap items-center justify-between gap-3 p-4">
        <p>{t('likes.guest')}</p>
        <Button tone="primary" onClick={() => void ask('plain')}>{t('likes.logIn')}</Button>
      </Card>
    );
  }
  const isPerformer = me.user.type === 'model';
  return (
    <Card className="flex flex-col gap-3 p-4">
      <p className="tabular font-medium">
        {t(isPerformer ? 'likes.received' : 'likes.given', { count })}
      </p>
      {isPerformer
        ? (
          <p className="tabular text-muted">
            {position === null ? t('likes.noPosition') : t('likes.yourPosition', { position })}
          </p>
        )
        : null}
      <LikeForm />
    </Card>
  );
}

/** Likes a performer who is not on the board yet. */
function LikeForm() {
  const { t } = useTranslation('browse');
  const [sent, setSent] = useState(0);
  const form = useForm(giveLike, {
    shape: async () => (await import('../../contract/likes.ts')).giveLike,
    read: (fields) => ({ username: textOf(fields, 'username').trim() }),
    applied: likeGiven,
    onDone: () => setSent((before) => before + 1),
  });
  return (
    <form {...form.props} key={sent} className="flex flex-wrap items-start gap-3">
      <TextField
        {...form.field('username')}
        label={t('likes.username')}
        required
        maxLength={40}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <div className="pt-6">
        <Button type="submit" busy={form.busy}>{t('likes.like')}</Button>
      </div>
      <FormError problem={form.problem} />
    </form>
  );
}

function Leaderboard({ likes: { leaderboard }, busy, onLike }: PartProps) {
  const { t } = useTranslation('browse');
  const me = useMe();
  return (
    <section>
      <h2 className="mb-3 text-lg font-bold">{t('likes.board')}</h2>
      {leaderboard.length === 0
        ? <EmptyState icon={<Heart size={28} aria-hidden />} text={t('likes.emptyBoard')} />
        : (
          <Board
            label={t('likes.board')}
            places={leaderboard}
            actionOf={(place) => (
              me === null || me.user.username === place.username
                ? null
                : place.isLiked
                ? <span className="shrink-0 text-sm text-muted">{t('likes.liked')}</span>
                : (
                  <Button
                    busy={busy}
                    aria-label={t('likes.likeName', { name: place.displayName })}
                    icon={<Heart size={20} aria-hidden />}
                    onClick={() => void onLike(place.username)}
                  />
                )
            )}
          />
        )}
    </section>
  );
}

function Winners({ likes: { past_winners: winners } }: Pick<PartProps, 'likes'>) {
  const { t, i18n } = useTranslation('browse');
  const months = new Intl.DateTimeFormat(i18n.language, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  return (
    <section>
      <h2 className="mb-3 text-lg font-bold">{t('likes.past')}</h2>
      {winners.length === 0
        ? <p className="text-muted">{t('likes.emptyPast')}</p>
        : (
          <ol aria-label={t('likes.past')} className="flex flex-col gap-2">
            {winners.map((winner) => (
              <li key={winner.month}>
                <TopUserCard
                  user={winner}
                  lead={
                    <time dateTime={winner.month} className="text-sm">
                      {months.format(new Date(`${winner.month}-01T00:00:00Z`))}
                    </time>
                  }
                />
              </li>
            ))}
          </ol>
        )}
    </section>
  );
}
