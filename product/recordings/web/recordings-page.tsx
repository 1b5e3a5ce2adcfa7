import { Film } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { problemOf, useRead } from '../../../platform/ui/calls/calls.ts';
import { useLobby } from '../../../platform/ui/calls/live.ts';
import { routeData, read } from '../../../platform/ui/calls/route.ts';
import { Button, ButtonLink } from '../../../platform/ui/controls/button.tsx';
import { Card } from '../../../platform/ui/surfaces/card.tsx';
import { Wide } from '../../../platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../platform/ui/surfaces/states.tsx';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { listRecordings } from '../client.ts';
import { useRecordings, type OwnRecording } from './live.ts';
import { RecordingRow } from './recording-row.tsx';
import { SpaceBar } from './space-bar.tsx';

const loadRecordings = routeData({
  texts: ['recordings', 'broadcast'], member: true, reads: () => [read(listRecordings, {})],
});
export { loadRecordings as loader, loadRecordings as clientLoader };

/** The own recordings: played in place, saved, chosen for the empty room, deleted. */
export default function RecordingsPage() {
  const { t } = useTranslation('recordings');
  const lobby = useLobby(true);
  const { data: listed, error, refetch } = useRecordings(lobby);
  return (
    <Wide title={t('title')} lead={t('lead')}>
      {listed ? (
        <div className="flex flex-col gap-6">
          <Card className="p-4"><SpaceBar space={listed.space} /></Card>
          {listed.recordings.length === 0 ? (
            <EmptyState text={t('empty')} icon={<Film size={40} aria-hidden />}
              action={<ButtonLink tone="primary" to="/go-live">{t('toGoLive')}</ButtonLink>} />
          ) : <Listed first={listed.recordings} next={listed.next} />}
        </div>
      ) : error ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} /> : <Loading />}
    </Wide>
  );
}

/** The newest page stays current by itself; older ones follow below it, as far as somebody looks. */
function Listed({ first, next }: { first: readonly OwnRecording[]; next: number | null }) {
  const { t } = useTranslation('recordings');
  const [pages, setPages] = useState(0);
  const [playing, setPlaying] = useState<number | null>(null);
  const row = (one: OwnRecording) => (
    <RecordingRow key={one.id} recording={one} isPlaying={playing === one.id}
      onPlay={() => setPlaying(playing === one.id ? null : one.id)} />
  );
  return (
    <Card>
      <ul className="divide-y divide-line" aria-label={t('title')}>{first.map(row)}</ul>
      <Older before={next} pages={pages} row={row} onMore={() => setPages(pages + 1)} />
    </Card>
  );
}

function Older({ before, pages, row, onMore }: {
  before: number | null; pages: number; row: (one: OwnRecording) => ReactNode; onMore: () => void;
}) {
  const { t } = useTranslation('recordings');
  const isOpen = pages > 0;
  const { data, error, refetch } = useRead(listRecordings, { before: before ?? 1 }, {
    enabled: before !== null && isOpen,
  });
  if (before === null) return null;
  if (!isOpen) {
    return (
      <div className="flex justify-center border-t border-line p-4">
        <Button onClick={onMore}>{t('older')}</Button>
      </div>
    );
  }
  if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <div className="p-4" aria-busy><Skeleton className="h-14" /></div>;
  return (
    <>
      <ul className="divide-y divide-line border-t border-line" aria-label={t('olderTitle')}>
        {data.recordings.map(row)}
      </ul>
      <Older before={data.next} pages={pages - 1} row={row} onMore={onMore} />
    </>
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
