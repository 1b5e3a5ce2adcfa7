import { Avatar, Pill } from '#platform/ui/surfaces/card.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { BoardPlaceView } from '../../contract/likes.ts';

interface CardProps {
  readonly user: Omit<BoardPlaceView, 'position'>;
  /** Position, month … */
  readonly lead: ReactNode;
  /** An action beside the card. */
  readonly action?: ReactNode;
}

/** The card of a top user: portrait, name, likes, and whether they are live; links to their room. */
export function TopUserCard({ user, lead, action }: CardProps) {
  const { t } = useTranslation('browse');
  const { username, displayName, thumbUrl, status, likes } = user;
  return (
    <div className="flex items-center gap-3 rounded-card border border-line bg-surface px-3 py-2">
      <span className="tabular min-w-8 shrink-0 text-center font-bold">{lead}</span>
      <Link to={`/${username}`} className="flex min-h-11 min-w-0 flex-1 items-center gap-3">
        <Avatar name={displayName} url={thumbUrl} size={50} />
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium">
            <Typed>{displayName}</Typed>
          </span>
          <span className="tabular text-sm text-muted">{t('likes.likes', { count: likes })}</span>
        </span>
        {status === 'offline' ? null : <Pill tone="live">{t('state.live')}</Pill>}
      </Link>
      {action}
    </div>
  );
}

interface BoardProps<Place extends BoardPlaceView> {
  readonly label: string;
  readonly places: readonly Place[];
  readonly actionOf?: (place: Place) => ReactNode;
}

/** A board of likes, best first. */
export function Board<Place extends BoardPlaceView>({ label, places, actionOf }: BoardProps<Place>) {
  const { t } = useTranslation('browse');
  return (
    <ol aria-label={label} className="flex flex-col gap-2">
      {places.map((place) => (
        <li key={place.id}>
          <TopUserCard
            user={place}
            action={actionOf?.(place)}
            lead={
              <>
                <span aria-hidden>{place.position}</span>
                <span className="sr-only">{t('likes.position', { position: place.position })}</span>
              </>
            }
          />
        </li>
      ))}
    </ol>
  );
}
