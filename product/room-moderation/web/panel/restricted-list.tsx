import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { StaffBadge } from '#platform/ui/text/person-name.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { getModeration } from '../../client.ts';
import type { ModerationAction, ModerationList } from '../../rules.ts';
import { UNDONE_BY } from '../actions/actions.ts';
import type { Subject } from '../actions/offers.ts';

type Entry = OutputOf<typeof getModeration>['entries'][number];

interface ListProps {
  /** Username of the performer. */
  readonly room: string;
  readonly list: ModerationList;
  /** Which actions this viewer may undo. */
  readonly mayUndo: (action: ModerationAction) => boolean;
  readonly onAct: (subject: Subject, action: ModerationAction) => void;
}

/** Active bans, silences or moderators, or recent actions; a page at a time. */
export function RestrictedList({ room, list, mayUndo, onAct }: ListProps) {
  const { t } = useTranslation('room-moderation');
  const read = useReadPages(getModeration, { username: room, list });
  const { data, error, refetch } = read;
  if (error && !data) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="m-3 h-32" />;
  const entries = data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <EmptyState text={t(`web.empty.${list}`)} />;
  return (
    <div className="flex flex-col">
      <ol aria-label={t(`web.lists.${list}`)}>
        {entries.map((entry) => (
          <EntryLine
            key={entry.id}
            entry={entry}
            mayUndo={mayUndo}
            onAct={onAct}
            undo={list === 'actions' ? undefined : UNDONE_BY[entry.action]}
          />
        ))}
      </ol>
      <MorePages read={read} className="p-3" />
    </div>
  );
}

function EntryLine({ entry, undo, mayUndo, onAct }: {
  entry: Entry;
  undo: ModerationAction | undefined;
} & Pick<ListProps, 'mayUndo' | 'onAct'>) {
  const { t } = useTranslation('room-moderation');
  const { username, display_name: displayName, is_guest: isGuest, by, reason, until } = entry;
  const subject = { username, displayName, isGuest, isModerator: entry.action === 'moderator' };
  const known = { display_name: displayName, is_guest: isGuest };
  return (
    <li className="flex items-center gap-2 border-b border-line px-3 py-2 text-sm">
      <div className="min-w-0 grow">
        <p className="break-words">
          {entry.is_staff ? <StaffBadge /> : null}
          <PersonButton username={username} known={known}>
            {t(`web.done.${entry.action}`, { name: displayName })}
          </PersonButton>
        </p>
        {reason === '' ? null : <p className="break-words text-muted">{t('web.why', { reason })}</p>}
        <p className="text-xs text-muted">
          {isGuest || username === displayName ? null : <>@{username}{' · '}</>}
          {by === null
            ? t('web.byRules')
            : <PersonButton username={by}>{t('web.by', { name: by })}</PersonButton>}
          {' · '}
          <RelativeTime at={entry.at} />
          {until === null ? null : (
            <>
              {' · '}
              {t('web.until')} <RelativeTime at={until} />
            </>
          )}
        </p>
      </div>
      {undo === undefined || !mayUndo(undo)
        ? null
        : <Button onClick={() => onAct(subject, undo)}>{t(`web.do.${undo}`)}</Button>}
    </li>
  );
}
