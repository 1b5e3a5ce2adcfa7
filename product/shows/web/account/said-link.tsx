import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useIsPast } from '#platform/ui/time/countdown.ts';
import { SHOW_CHAT_MS } from '#product/rooms/rules/show-chat.ts';
import { Link } from 'react-router';

/** The link to a show's messages, while any of them can still be stored. */
export function SaidLink({ kind, show, endedAt }: {
  readonly kind: 'private' | 'ticket';
  readonly show: number;
  readonly endedAt: string;
}) {
  const { t } = useTranslation('shows');
  if (useIsPast(Date.parse(endedAt) + SHOW_CHAT_MS)) return null;
  return (
    <Link
      to={`/account/shows/said/${kind}/${show}`}
      className="flex min-h-11 items-center text-link hover:underline"
    >
      {t('said.link')}
    </Link>
  );
}
