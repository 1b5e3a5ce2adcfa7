import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Circle } from 'lucide-react';
import type { RunningPrivateView } from '../../contract/private-running.ts';

interface RecordingMarkProps {
  readonly state: RunningPrivateView['recording_state'];
  readonly isPerformer: boolean;
}

/**
 * Whether a private show is being recorded, for both people in it; nothing for a show without a recording.
 */
export function RecordingMark({ state, isPerformer }: RecordingMarkProps) {
  const { t } = useTranslation('shows');
  if (state === null) return null;
  const isOn = state === 'running';
  const isLost = state === 'off' || state === 'withdrawn';
  return (
    <p
      role="status"
      className={`inline-flex items-center gap-2 text-sm ${isLost ? 'text-warning-text' : ''}`}
    >
      <Circle
        size={12}
        aria-hidden
        fill={isOn ? 'currentColor' : 'none'}
        className={isOn ? 'shrink-0 text-danger' : 'shrink-0'}
      />
      {t(isPerformer && state === 'withdrawn' ? 'private.recording.deleted' : `private.recording.${state}`)}
    </p>
  );
}
