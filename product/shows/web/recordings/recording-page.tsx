import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useCallAddress, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { clockText } from '#platform/ui/text/measures.ts';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { ReportButton } from '#product/moderation/web/report-button.tsx';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { getShowRecording, getShowRecordingFile } from '../../client.ts';

/** The show in the address; 0, which is no show, if the address has no valid number. */
const showOf = (
  { show = '' }: Readonly<Record<string, string | undefined>>,
): number => (/^[1-9]\d{0,14}$/u.test(show) ? Number(show) : 0);

type ShowRecording = OutputOf<typeof getShowRecording>;

/** Ids are counted separately for each mode; without a mode it is a ticket show. */
const modeIn = (
  search: URLSearchParams,
): { readonly mode?: 'private' } => (search.get('mode') === 'private' ? { mode: 'private' } : {});

const load = routeData({
  texts: ['shows', 'moderation'],
  member: true,
  reads: ({ params, request }) => [read(getShowRecording, {
    show: showOf(params),
    ...modeIn(new URL(request.url).searchParams),
  })],
});
export { load as clientLoader, load as loader };

/** The recording of a show, for its performer, its buyers, or the viewer of a private show. */
export default function RecordingPage() {
  const [search] = useSearchParams();
  const asked = { show: showOf(useParams()), ...modeIn(search) };
  const { data, error, refetch } = useRead(getShowRecording, asked);
  // A viewer who may no longer watch it is notified, even in the middle of the video.
  if (data && !error) {
    return <Recording key={`${data.mode} ${data.show_id}`} recording={data} onLost={() => void refetch()} />;
  }
  return error
    ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
    : <Skeleton className="aspect-video w-full" />;
}

function Recording({ recording, onLost }: {
  readonly recording: ShowRecording;
  /** Called when the video cannot be read. */
  readonly onLost: () => void;
}) {
  const { t, i18n } = useTranslation('shows');
  const addressOf = useCallAddress();
  const { show_id: show, display_name: name, parts } = recording;
  const isPrivate = recording.mode === 'private';
  const isOwn = useMe()?.user.username === recording.broadcaster;
  const [at, setAt] = useState(0);
  const part = parts[at] ?? parts[0];
  const when = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeStyle: 'short' })
    .format(new Date(recording.started_at));
  const onEnded = () => {
    if (at + 1 < parts.length) setAt(at + 1);
  };
  return (
    <Wide
      title={t(isPrivate ? 'private.recording.title' : 'ticket.recording.title', { name })}
      lead={t('ticket.recording.lead', { at: when, time: clockText(recording.seconds) })}
    >
      <div className="flex flex-col gap-4">
        {recording.limited_message === ''
          ? null
          : (
            <p className="min-w-0 break-words">
              <Typed>{recording.limited_message}</Typed>
            </p>
          )}
        {part
          ? (
            // Parts after the first start without a click, whether chosen or next in order.
            <video
              key={part.id}
              controls
              autoPlay={at > 0}
              playsInline
              preload="metadata"
              onEnded={onEnded}
              onError={onLost}
              src={addressOf(getShowRecordingFile, {
                show,
                part: part.id,
                ...(isPrivate ? { mode: 'private' } : {}),
              })}
              aria-label={t('ticket.recording.player', { number: at + 1, count: parts.length })}
              className="aspect-video max-h-[75dvh] w-full rounded-card bg-black"
            />
          )
          : null}
        {parts.length > 1
          ? (
            <div role="group" aria-label={t('ticket.recording.parts')} className="flex flex-wrap gap-2">
              {parts.map(({ id, seconds }, index) => (
                <Button
                  key={id}
                  aria-pressed={index === at}
                  onClick={() => setAt(index)}
                >
                  {t('ticket.recording.part', { number: index + 1 })}
                  <span className="tabular text-muted">{clockText(seconds)}</span>
                </Button>
              ))}
            </div>
          )
          : null}
        <div className="flex flex-wrap gap-3">
          <ButtonLink to={`/${recording.broadcaster}`}>{t('ticket.recording.toRoom', { name })}</ButtonLink>
          <ButtonLink to="/account/shows">{t('ticket.recording.toShows')}</ButtonLink>
          {isOwn ? null : (
            <ReportButton
              target={{
                kind: 'recording',
                username: recording.broadcaster,
                id: show,
                name,
                ...(isPrivate ? { within: 'private' } : {}),
              }}
            />
          )}
        </div>
      </div>
    </Wide>
  );
}
