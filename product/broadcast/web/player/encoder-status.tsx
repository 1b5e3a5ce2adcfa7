import { keyOf } from '#platform/text/message-keys.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PlugZap, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { HealthView } from '../../contract.ts';

/** Shown in place of the video while an encoder connects, or while its media cannot be played. */
export function EncoderStatus({ health }: { health: HealthView | null }) {
  const { t } = useTranslation('broadcast');
  const trouble = health?.trouble ?? null;
  if (trouble === null) {
    return (
      <StatusCard icon={<PlugZap size={40} aria-hidden className="text-muted" />} title={t('arrival.title')}>
        {t('arrival.text')}
      </StatusCard>
    );
  }
  return (
    <StatusCard
      icon={<TriangleAlert size={40} aria-hidden className="text-warning" />}
      title={t('arrival.trouble')}
    >
      {t(keyOf('broadcast', 'advice', trouble))}
    </StatusCard>
  );
}

function StatusCard({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div
      role="status"
      className="flex aspect-video flex-col items-center justify-center gap-3 rounded-card
      bg-black p-6 text-center text-white"
    >
      {icon}
      <p className="text-lg font-bold">{title}</p>
      <p className="max-w-md text-sm text-balance">{children}</p>
    </div>
  );
}
