import { routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLocation } from 'react-router';
import { SUSPENSION_CAUSES, type SuspensionCause } from '../../rules/staff/suspensions.ts';

const load = routeData({ texts: ['accounts'], always: true });
export { load as clientLoader, load as loader };
export const handle = { always: true };

/** What the refusal contains. */
interface Suspension {
  readonly since?: string;
  readonly cause?: unknown;
  /** Typed by staff: shown as it is, never linked. */
  readonly message?: unknown;
}
const isCause = (cause: unknown): cause is SuspensionCause =>
  (SUSPENSION_CAUSES as readonly unknown[]).includes(cause);

/**
 * Shown after a log-in to a suspended account: since when, why, and whom to ask. All of it comes with the
 * refusal, which needs the right password; the URL alone reveals nothing.
 */
export default function SuspendedPage() {
  const { t, i18n } = useTranslation('accounts');
  const { since, cause, message } = (useLocation().state ?? {}) as Suspension;
  const date = since === undefined
    ? null
    : new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(since));
  return (
    <Narrow title={t('suspendedPage.title')}>
      <p>{date === null ? t('suspendedPage.now') : t('suspendedPage.since', { date })}</p>
      {isCause(cause) ? <p className="mt-2">{t(`suspendedPage.causes.${cause}`)}</p> : null}
      {typeof message === 'string' && message !== ''
        ? (
          <blockquote className="mt-2 border-l-2 border-line pl-3 break-words whitespace-pre-line">
            <Typed>{message}</Typed>
          </blockquote>
        )
        : null}
      <p className="mt-2 text-muted">{t('suspendedPage.text')}</p>
      <div className="mt-6">
        <ButtonLink to="/support" tone="primary">{t('suspendedPage.support')}</ButtonLink>
      </div>
    </Narrow>
  );
}
