import { useRead } from '#platform/ui/calls/calls.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { ReadError, Section } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getPending } from '../client.ts';
import type { PendingView } from '../contract/pending.ts';
import { verifyPath } from '../rules/payments/card-check.ts';

/** In the page's order: things that other people wait for come first. */
const KINDS = [
  'custom_media',
  'dickrating_requests',
  'snapchat_sale',
  'streaming_partners',
  'aj_media_rejected',
  'cc_verification',
] as const satisfies readonly (keyof PendingView)[];

/** Things that wait for the person; renders nothing if there are none. */
export function PendingSection() {
  const { t } = useTranslation('billing');
  const read = useRead(getPending, { ssr: '1' });
  const waiting = KINDS.flatMap((kind) => {
    const count = read.data?.[kind] ?? 0;
    return count > 0 ? [{ kind, count }] : [];
  });
  if (!read.error && waiting.length === 0) return null;
  return (
    <Section anchor="pending" title={t('web.pending.title')}>
      <ReadError read={read} />
      <ul className="flex flex-col">
        {waiting.map(({ kind, count }) => (
          <li key={kind} className="flex flex-wrap items-center justify-between gap-3 py-2 text-sm">
            <span>{t(`web.pending.${kind}`, { count })}</span>
            {kind === 'cc_verification'
              ? <ButtonLink to={verifyPath(location.hostname)}>{t('web.pending.verify')}</ButtonLink>
              : null}
          </li>
        ))}
      </ul>
    </Section>
  );
}
