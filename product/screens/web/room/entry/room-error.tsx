import type { Problem } from '#platform/contract/client.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { Title } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { roomBanned, roomKicked, roomUnknown } from '#product/rooms/client.ts';
import { Ban, DoorOpen } from 'lucide-react';
import { lazy } from 'react';
import { PICTURE_HEIGHT } from '../picture.tsx';

const LiveNow = lazy(() => import('../panels/live-now.tsx'));

/** Whether a refusal bars this viewer, or null for any other problem. */
export function barOf(problem: Partial<Problem> | null): 'banned' | 'kicked' | null {
  if (problem?.errorType === roomBanned.code) return 'banned';
  return problem?.errorType === roomKicked.code ? 'kicked' : null;
}

interface RoomErrorProps {
  readonly problem: Partial<Problem> | null;
  /** Requests the room once more. */
  readonly onRetry?: () => void;
}

/** Refusals are final; an error, or no answer at all, may pass. */
const isRefusal = (problem: Partial<Problem> | null): boolean =>
  Math.floor((problem?.status ?? 500) / 100) === 4;

/** The room did not load: status, text and live rooms to go to instead (spec 2 §7, §8: user_error). */
export function RoomError({ problem, onRetry }: RoomErrorProps) {
  const { t } = useTranslation('screens');
  const bar = barOf(problem);
  // A mistyped address was not meant as a room, and a hidden performer is not mentioned.
  const isUnknown = problem?.errorType === roomUnknown.code;
  const title = t(isUnknown ? 'error.notFound.title' : 'room.errorTitle');
  const message = isUnknown ? t('error.notFound.text') : problem?.message || t('room.error');
  const named = problem?.['suggestions'];
  const suggestions = Array.isArray(named) ? named.map(String) : [];
  return (
    <div
      className="mx-auto w-full max-w-3xl px-4 py-12"
      data-stream-status="user_error"
      data-room-error={problem?.status ?? 500}
    >
      {bar === null
        ? (
          <>
            <Title>{title}</Title>
            <h1 className="text-center text-xl font-bold">{title}</h1>
            <ErrorState
              problem={{ message, reference: problem?.reference }}
              {...(onRetry && !isRefusal(problem) ? { onRetry } : {})}
            />
          </>
        )
        : <Barred bar={bar} problem={problem ?? {}} onRetry={onRetry} />}
      {suggestions.length > 0
        ? (
          <Extra>
            <LiveNow names={suggestions} />
          </Extra>
        )
        : (
          <p className="text-center">
            <ButtonLink to="/">{t('room.whoIsLive')}</ButtonLink>
          </p>
        )}
    </div>
  );
}

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The viewer was removed from this room: why, and until when. */
function Barred({ bar, problem, onRetry }: {
  bar: 'banned' | 'kicked';
  problem: Partial<Problem>;
  onRetry: (() => void) | undefined;
}) {
  const { t } = useTranslation('screens');
  const Icon = bar === 'banned' ? Ban : DoorOpen;
  const [reason, until] = [textIn(problem['reason']), textIn(problem['until'])];
  const title = t(`room.barred.${bar}`);
  return (
    <div className="flex flex-col items-center gap-3 pb-8 text-center" data-room-barred={bar}>
      <Title>{title}</Title>
      <Icon size={40} aria-hidden className="text-muted" />
      <h1 className="text-xl font-bold" tabIndex={-1}>{title}</h1>
      {reason === null ? null : <p className="max-w-md break-words">{t('room.barred.reason', { reason })}</p>}
      {until === null ? <p className="text-sm text-muted">{t('room.barred.lasting')}</p> : (
        <>
          <p className="text-sm text-muted">
            {t('room.barred.until')} <RelativeTime at={until} />
          </p>
          {onRetry ? <Button onClick={onRetry}>{t('room.barred.retry')}</Button> : null}
        </>
      )}
    </div>
  );
}

/** The room is loading: its layout, empty (user_loading). */
export function RoomSkeleton() {
  const { t } = useTranslation('rooms');
  return (
    <div
      role="status"
      aria-label={t('loading')}
      aria-busy
      data-stream-status="user_loading"
      className="flex h-[calc(100dvh-var(--around,57px))] flex-col lg:grid
        lg:grid-cols-[minmax(0,1fr)_360px]"
    >
      <div>
        <Skeleton className={`aspect-video w-full rounded-none ${PICTURE_HEIGHT}`} />
        <div className="flex items-center gap-3 px-4 py-2">
          <Skeleton className="size-8 rounded-full" />
          <Skeleton className="h-5 w-48" />
        </div>
      </div>
      <div className="flex grow flex-col justify-end gap-3 border-line p-4 lg:border-l">
        <Skeleton className="h-5 w-40" />
        <Skeleton className="h-5 w-64" />
        <Skeleton className="h-5 w-52" />
        <Skeleton className="h-11 w-full" />
      </div>
    </div>
  );
}
