import type { OutputOf } from '#platform/contract/call.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink, IconButton } from '#platform/ui/controls/button.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { PersonName } from '#platform/ui/text/person-name.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { NameButton } from '#product/accounts/web/name-button.tsx';
import { Reporting } from '#product/moderation/web/report-button.tsx';
import type { ReportTarget } from '#product/moderation/web/target.ts';
import { isAnonymous } from '#product/rooms/rules.ts';
import { senderName } from '#product/rooms/web/chat/sender-name.ts';
import { Flag } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { getSaid } from '../../client.ts';

/** The show in the address; 0, which is no show, if the address has no valid number. */
const askedIn = ({ kind, show = '' }: Readonly<Record<string, string | undefined>>) => ({
  kind: kind === 'ticket' ? 'ticket' as const : 'private' as const,
  show: /^[1-9]\d{0,14}$/u.test(show) ? Number(show) : 0,
});

const load = routeData({
  texts: ['shows', 'moderation', 'rooms'],
  member: true,
  reads: ({ params }) => [read(getSaid, askedIn(params))],
});
export { load as clientLoader, load as loader };

type Said = OutputOf<typeof getSaid>;
type Message = Said['messages'][number];

/** The messages of a show, for the people who could read them there: to report one afterwards. */
export default function SaidPage() {
  const { data, error, refetch } = useRead(getSaid, askedIn(useParams()));
  if (error) return <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />;
  return data ? <SaidIn said={data} /> : <Skeleton className="h-64 w-full" />;
}

function SaidIn({ said }: { readonly said: Said }) {
  const { t } = useTranslation('shows');
  const [target, setTarget] = useState<ReportTarget | null>(null);
  const { broadcaster, display_name: name, key, messages } = said;
  return (
    <Wide title={t('said.title', { name })} lead={t('said.lead')}>
      <div className="flex flex-col gap-4">
        {messages.length === 0
          ? <EmptyState text={t('said.none')} />
          : (
            <ul aria-label={t('said.list')} className="flex flex-col divide-y divide-line">
              {messages.map((message) => (
                <Line
                  key={message.id}
                  message={message}
                  onReport={(name) =>
                    setTarget({
                      kind: 'message',
                      username: broadcaster,
                      id: message.id,
                      within: key,
                      name,
                    })}
                />
              ))}
            </ul>
          )}
        <div>
          <ButtonLink to="/account/shows">{t('ticket.recording.toShows')}</ButtonLink>
        </div>
      </div>
      <Reporting target={target} onClose={() => setTarget(null)} />
    </Wide>
  );
}

function Line({ message, onReport }: {
  readonly message: Message;
  readonly onReport: (name: string) => void;
}) {
  const { t } = useTranslation('moderation');
  const { t: ofRooms } = useTranslation('rooms');
  const isOwn = useMe()?.user.username === message.username;
  const name = senderName(message, ofRooms);
  const { message: text, value } = message;
  return (
    <li className="flex items-start justify-between gap-3 py-2">
      <div className="min-w-0 break-words">
        <Name message={message} name={name} />
        {value > 0
          ? (
            <span className="block">
              <TokenAmount tokens={value} />
            </span>
          )
          : null}
        <p>
          <Typed>{text}</Typed>
        </p>
      </div>
      {isOwn ? null : (
        <IconButton label={t('report.do.message', { name })} onClick={() => onReport(name)}>
          <Flag size={18} aria-hidden />
        </IconButton>
      )}
    </li>
  );
}

/** As in the chat: a name may be anybody's, so the badges and the username behind it say whose it is. */
function Name({ message, name }: { readonly message: Message; readonly name: string }) {
  const { t } = useTranslation('rooms');
  const { username, is_model: isPerformer, is_staff: isStaff } = message;
  const shown = <PersonName name={name} isStaff={isStaff} />;
  return (
    <strong className="font-medium">
      {isPerformer
        ? (
          <>
            <Pill>{t('chat.badge.performer')}</Pill>
            {' '}
          </>
        )
        : null}
      {isAnonymous(message)
        ? shown
        : <NameButton named={{ username, name, ...(isStaff ? { isStaff } : {}) }}>{shown}</NameButton>}
    </strong>
  );
}
