import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import type { ReceiptView } from '../../contract/private-running.ts';
import { privateRecordingPath } from '../../rules/private.ts';

/** The state of a private show's recording, and the link to watch it; nothing for a show without one. */
export function RecordingOf({ receipt: { id, recording_state: state }, isPerformer }: {
  readonly receipt: Pick<ReceiptView, 'id' | 'recording_state'>;
  readonly isPerformer: boolean;
}) {
  const { t } = useTranslation('shows');
  if (state === null) return null;
  if (state !== 'ready') {
    const isOwn = isPerformer && state === 'withdrawn';
    return (
      <span className="block text-sm text-muted">
        {t(isOwn ? 'private.recording.deleted' : `private.recording.${state}`)}
      </span>
    );
  }
  return (
    <Link to={privateRecordingPath(id)} className="flex min-h-11 items-center text-link hover:underline">
      {t('private.recording.ready')}
    </Link>
  );
}
