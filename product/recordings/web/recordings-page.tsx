import { problemOf } from '#platform/ui/calls/calls.ts';
import { useLobby } from '#platform/ui/calls/live.ts';
import type { PagesRead } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Film } from 'lucide-react';
import { useState } from 'react';
import { listRecordings } from '../client.ts';
import { useRecordingPages, type Listed, type OwnRecording } from './live.ts';
import { RecordingRow } from './recording-row.tsx';
import { SpaceBar } from './space-bar.tsx';

const loadRecordings = routeData({
  texts: ['recordings', 'broadcast'],
  member: true,
  reads: () => [readPages(listRecordings, {})],
});
export { loadRecordings as clientLoader, loadRecordings as loader };

/** The performer's recordings: play, save, choose as offline video, delete. */
export default function RecordingsPage() {
  const { t } = useTranslation('recordings');
  const lobby = useLobby(true);
  const read = useRecordingPages(lobby);
  const { data, error, refetch } = read;
  const [newest] = data?.pages ?? [];
  return (
    <Wide title={t('title')} lead={t('lead')}>
      {newest
        ? (
          <div className="flex flex-col gap-6">
            <Card className="p-4">
              <SpaceBar space={newest.space} />
            </Card>
            {newest.recordings.length === 0
              ? (
                <EmptyState
                  text={t('empty')}
                  icon={<Film size={40} aria-hidden />}
                  action={<ButtonLink tone="primary" to="/go-live">{t('toGoLive')}</ButtonLink>}
                />
              )
              : <Rows recordings={data?.pages.flatMap(({ recordings }) => recordings) ?? []} read={read} />}
          </div>
        )
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : <Loading />}
    </Wide>
  );
}

function Rows({ recordings, read }: {
  recordings: readonly OwnRecording[];
  read: PagesRead<Listed>;
}) {
  const { t } = useTranslation('recordings');
  const [playing, setPlaying] = useState<number | null>(null);
  return (
    <Card>
      <ul className="divide-y divide-line" aria-label={t('title')}>
        {recordings.map((item) => (
          <RecordingRow
            key={item.id}
            recording={item}
            isPlaying={playing === item.id}
            onPlay={() => setPlaying(playing === item.id ? null : item.id)}
          />
        ))}
      </ul>
      <MorePages read={read} className="p-4" />
    </Card>
  );
}

function Loading() {
  return (
    <div className="flex flex-col gap-6" aria-busy>
      <Skeleton className="h-20" />
      <div className="flex flex-col gap-3">
        {[0, 1, 2].map((line) => <Skeleton key={line} className="h-16" />)}
      </div>
    </div>
  );
}
